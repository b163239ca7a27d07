//! Which file imports which: every path in a file that leads into this package, followed through
//! re-exports to the file that it ends in.

use std::collections::{BTreeMap, BTreeSet};

use super::text::{self, Token};

/// A file of `src/`, as the checks see it.
#[derive(Clone)]
pub struct Source {
    /// Its place, from the package's folder: `src/engine/model/cut.rs`.
    pub place: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// A test module with a file of its own.
    pub fn is_test(&self) -> bool {
        self.place.ends_with("/tests.rs") || self.place.contains("/tests/")
    }
}

/// A path that leads from one module to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module that contains the path.
    pub from: String,
    /// The module it ends in: the longest beginning of the path that is a module.
    pub to: String,
    /// Its line.
    pub line: usize,
}

/// The module that a file is, as a path through all packages: `engine::gate` is the root of the
/// package in `src/engine/gate`. The program's root is the empty name.
pub fn module(place: &str) -> String {
    let inside = place.trim_start_matches("src/").trim_end_matches(".rs");
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    let inside = inside.strip_suffix("/lib").unwrap_or(inside);
    if inside == "lib" {
        String::new()
    } else {
        inside.replace('/', "::")
    }
}

/// Every import of the package's own modules outside test modules. A module that names itself is
/// not one, and neither is a `pub use` in a `mod.rs` of its children.
pub fn imports(all: &[Source]) -> Vec<Import> {
    let modules: BTreeSet<String> = all.iter().map(|source| module(&source.place)).collect();
    let sources = all.iter().filter(|source| !source.is_test());
    let tokens: Vec<(String, Vec<Token>)> = sources
        .map(|source| {
            (
                module(&source.place),
                text::tokens(&text::without_tests(&text::code(&source.text))),
            )
        })
        .collect();
    let roots: Vec<String> = all
        .iter()
        .filter(|source| source.place.ends_with("/lib.rs") && source.place != "src/lib.rs")
        .map(|source| module(&source.place))
        .collect();
    let walks: Vec<(&String, Walk)> = tokens
        .iter()
        .map(|(from, tokens)| (from, Walk::over(from, tokens, &modules, &roots)))
        .collect();
    let passed_on: BTreeMap<Vec<String>, Alias> = walks
        .iter()
        .flat_map(|(_, walk)| walk.passed_on.iter().cloned())
        .collect();
    let mut found = Vec::new();
    for (from, walk) in &walks {
        for (path, line) in &walk.found {
            let to = ends_in(&follow(&segments(from), path, &passed_on), &modules);
            if to != **from {
                found.push(Import {
                    from: from.to_string(),
                    to,
                    line: *line,
                });
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn segments(module: &str) -> Vec<String> {
    module
        .split("::")
        .filter(|name| !name.is_empty())
        .map(str::to_string)
        .collect()
}

/// The path with re-exports replaced by their origin, as the module `from` sees them.
fn follow(
    from: &[String],
    path: &[String],
    passed_on: &BTreeMap<Vec<String>, Alias>,
) -> Vec<String> {
    let mut path = path.to_vec();
    // More steps than any reasonable chain of re-exports has.
    for _ in 0..16 {
        let hit = (1..=path.len()).find_map(|length| {
            let alias = passed_on.get(&path[..length])?;
            (alias.public || from.starts_with(&path[..length - 1]))
                .then_some((length, &alias.origin))
        });
        match hit {
            Some((length, origin)) if *origin != path[..length] => {
                path = origin.iter().chain(&path[length..]).cloned().collect();
            }
            _ => break,
        }
    }
    path
}

fn ends_in(path: &[String], modules: &BTreeSet<String>) -> String {
    (0..=path.len())
        .rev()
        .map(|length| path[..length].join("::"))
        .find(|name| modules.contains(name))
        .unwrap_or_default()
}

/// One pass over a file's tokens.
struct Walk<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The roots of all packages but the program's.
    roots: &'a [String],
    /// The module that is being read, including inline modules.
    here: Vec<String>,
    /// Names that a `use` has brought into scope, with their origin.
    names: BTreeMap<String, Vec<String>>,
    /// Paths into the package, and their lines.
    found: Vec<(Vec<String>, usize)>,
    /// Names that other modules can use as if they were defined here.
    passed_on: Vec<(Vec<String>, Alias)>,
}

/// The origin of a name that a `use` has brought into a module.
#[derive(Clone)]
struct Alias {
    origin: Vec<String>,
    /// Whether other modules can use it, too; otherwise only those below this one.
    public: bool,
}

impl<'a> Walk<'a> {
    fn over(
        from: &str,
        tokens: &'a [Token],
        modules: &BTreeSet<String>,
        roots: &'a [String],
    ) -> Walk<'a> {
        let (here, names) = (segments(from), BTreeMap::new());
        let mut walk = Walk {
            tokens,
            at: 0,
            roots,
            here,
            names,
            found: Vec::new(),
            passed_on: Vec::new(),
        };
        walk.run(modules);
        walk
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    fn run(&mut self, modules: &BTreeSet<String>) {
        let mut depth = 0;
        let mut inline = Vec::new();
        while self.at < self.tokens.len() {
            match self.text(self.at) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if inline.last() == Some(&depth) {
                        inline.pop();
                        self.here.pop();
                    }
                }
                "mod" if self.text(self.at + 2) == "{" => {
                    self.here.push(self.text(self.at + 1).to_string());
                    inline.push(depth);
                    self.at += 1;
                }
                // `impl Trait + use<'a>` is not an import.
                "use" if self.text(self.at + 1) != "<" => {
                    let public = self.at > 0 && matches!(self.text(self.at - 1), "pub" | ")");
                    self.at += 1;
                    self.tree(&[], public, modules);
                }
                _ if self.text(self.at + 1) == "::"
                    && (self.at == 0 || self.text(self.at - 1) != "::") =>
                {
                    self.path(modules);
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// A path in the code, such as `super::cut::Cut::root`.
    fn path(&mut self, modules: &BTreeSet<String>) {
        let visibility = self.at >= 3
            && ["pub", "(", "in"]
                .iter()
                .zip(self.at - 3..)
                .all(|(text, at)| self.text(at) == *text);
        let line = self.tokens[self.at].line;
        let mut path = vec![self.text(self.at).to_string()];
        while self.text(self.at + 1) == "::"
            && self
                .text(self.at + 2)
                .starts_with(|c: char| c.is_alphabetic() || c == '_')
        {
            path.push(self.text(self.at + 2).to_string());
            self.at += 2;
        }
        if let Some(path) = self.resolve(&path, modules).filter(|_| !visibility) {
            self.found.push((path, line));
        }
    }

    /// The tree of a `use`, from the current place.
    fn tree(&mut self, before: &[String], public: bool, modules: &BTreeSet<String>) {
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let mut path = before.to_vec();
        let mut name = None;
        loop {
            match self.text(self.at) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(self.at), "}" | "") {
                        self.tree(&path, public, modules);
                        if self.text(self.at) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "as" => {
                    name = Some(self.text(self.at + 1).to_string());
                    self.at += 2;
                }
                "::" | "*" => self.at += 1,
                "," | "}" | ";" | "" => break,
                segment => {
                    // `use model::{self, Cut}` names model itself.
                    if segment != "self" || path.is_empty() {
                        path.push(segment.to_string());
                    }
                    self.at += 1;
                }
            }
        }
        let Some(full) = self.resolve(&path, modules) else {
            return;
        };
        if let Some(name) = name.or_else(|| path.last().cloned()) {
            self.names.insert(name.clone(), full.clone());
            let here: Vec<String> = self.here.iter().cloned().chain([name]).collect();
            if here != full {
                self.passed_on.push((
                    here,
                    Alias {
                        origin: full.clone(),
                        public,
                    },
                ));
            }
        }
        if !(public && full.starts_with(&self.here)) {
            self.found.push((full, line));
        }
    }

    /// The root of the package that this file belongs to.
    fn package(&self) -> Vec<String> {
        let inside = |root: &&Vec<String>| self.here.starts_with(root);
        let roots: Vec<Vec<String>> = self.roots.iter().map(|root| segments(root)).collect();
        roots.iter().find(inside).cloned().unwrap_or_default()
    }

    /// The path from the program's root, if it leads into one of its packages.
    fn resolve(&self, path: &[String], modules: &BTreeSet<String>) -> Option<Vec<String>> {
        let first = path.first()?;
        let ups = path
            .iter()
            .take_while(|segment| *segment == "super")
            .count();
        let rest = |from: usize| path[from..].iter().cloned();
        match first.as_str() {
            "crate" => Some(self.package().into_iter().chain(rest(1)).collect()),
            "tidegate" => Some(rest(1).collect()),
            name if name.starts_with("tidegate_") => {
                let name = name.trim_start_matches("tidegate_");
                let root = self.roots.iter().find(|root| root.ends_with(name))?;
                Some(segments(root).into_iter().chain(rest(1)).collect())
            }
            "self" => Some(self.here.iter().cloned().chain(rest(1)).collect()),
            "super" => Some(
                self.here[..self.here.len().saturating_sub(ups)]
                    .iter()
                    .cloned()
                    .chain(rest(ups))
                    .collect(),
            ),
            name => {
                if let Some(stands_for) = self.names.get(name) {
                    return Some(stands_for.iter().cloned().chain(rest(1)).collect());
                }
                let child: Vec<String> = self
                    .here
                    .iter()
                    .cloned()
                    .chain([name.to_string()])
                    .collect();
                modules
                    .contains(&child.join("::"))
                    .then(|| child.into_iter().chain(rest(1)).collect())
            }
        }
    }
}

/// All cycles: sets of modules, each of which leads to each other one.
pub fn rings(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = edges
        .keys()
        .map(|from| (from, reached(from, edges)))
        .collect();
    let leads = |from: &String, to: &String| {
        reached
            .get(from)
            .is_some_and(|reached| reached.contains(to))
    };
    let rings = edges
        .keys()
        .filter(|module| leads(module, module))
        .map(|module| {
            let both_ways = |other: &&String| leads(module, other) && leads(other, module);
            edges.keys().filter(both_ways).cloned().collect()
        });
    rings
        .collect::<BTreeSet<BTreeSet<String>>>()
        .into_iter()
        .collect()
}

/// The modules that a module leads to, over any number of steps.
fn reached<'a>(
    from: &'a String,
    edges: &'a BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(
            edges
                .get(next)
                .into_iter()
                .flatten()
                .filter(|name| found.insert(*name)),
        );
    }
    found
}

/// Which module imports which.
pub fn edges(imports: &[Import]) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for import in imports {
        edges
            .entry(import.from.clone())
            .or_default()
            .insert(import.to.clone());
    }
    edges
}
