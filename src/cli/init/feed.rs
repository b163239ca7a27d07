//! The text of the feed file that `init` writes (CONTRACTS 1 and 3): every guess with its reason,
//! every choice with its meaning. It contains no value of a sample, only ranges; values of quasi
//! columns are in taxonomy files.

use std::fmt::Write;

use super::guarded_values::{self, proposes};
use super::toml_text::quoted;
use crate::daemon::guess::Guess;
use crate::engine::model::forms::{PrefixCodes, TaxonomyTable};
use crate::engine::model::{Kind, Role};

/// The folder that is watched.
pub(super) const INCOMING: &str = "incoming";

/// The JSON Schema for editors, beside the feed file.
pub(super) const SCHEMA: &str = "feed.schema.json";

/// What the text is made from.
pub(super) struct FeedPlan<'p> {
    /// The name of the feed.
    pub name: &'p str,
    /// The source of the guesses, as a sentence.
    pub origin: String,
    /// `csv`, `parquet`, `arrow` or nothing.
    pub format: Option<&'static str>,
    /// The columns; their taxonomies have the names of their files.
    pub columns: &'p [Guess],
}

/// The whole feed file.
pub(super) fn text(plan: &FeedPlan<'_>) -> String {
    let name = plan.name;
    // Editors that support TOML complete keys and mark mistakes with it.
    let mut text = format!("#:schema ./{SCHEMA}\n\n");
    comment(
        &mut text,
        "",
        &format!(
            "A Tidegate feed file, written by `tidegate init`. {} Read it column by column, correct it, then run \
         `tidegate check` to see what it means.",
            plan.origin
        ),
    );
    let files = plan
        .columns
        .iter()
        .filter_map(|column| column.taxonomy.as_ref())
        .any(|proposal| proposal.rows.is_some());
    if files {
        text.push_str("#\n");
        comment(
            &mut text,
            "",
            "The files in taxonomies/ contain values of the sample's quasi columns, and releases publish them as \
                                labels: remove values that must not become known.",
        );
    }
    let _ = write!(
        text,
        "\n[feed]\nname = {}\nchain = \"cumulative\"               # each release holds all people so far; or \"disjoint\"\n",
        quoted(name)
    );
    for_daemon(&mut text, plan);
    policy(&mut text, plan.columns);
    for column in plan.columns {
        text.push('\n');
        match column.role {
            Some(role) => declared(&mut text, column, role),
            None => dropped(&mut text, column),
        }
    }
    text
}

/// The tables that only the daemon will use, and the key that `anonymize` uses too.
fn for_daemon(text: &mut String, plan: &FeedPlan<'_>) {
    let name = plan.name;
    let format = match plan.format {
        Some(format) => format!("format = \"{format}\""),
        None => "# format = \"csv\"".to_owned(),
    };
    let _ = write!(
        text,
        "\n# [source], [store], [schedule] and the keys are for `tidegate run`; they may be omitted.\n\
         # `anonymize` uses only `store.key` of them.\n\n\
         # Where `run` takes records from.\n\
         [source]\n\
         kind = \"directory\"                 # or \"kafka\", with `brokers` and `topic`\n\
         {path:<34} # made just now; a new file is read when it has not changed for `settle`\n\
         settle = \"2s\"\n\
         {format:<34} # json, avro, arrow, csv or parquet; by file name if omitted\n\n\
         # Where the daemon keeps its log and the releases. The keys were made just now: keep copies of them in a safe\n\
         # place. `anonymize` seals its private state with the first one: without it no chain can be continued, and with it\n\
         # anyone can read the waiting rows. `tidegate rekey` changes it. The second one signs releases: give\n\
         # keys/{name}.signing.pub to their readers.\n\
         [store]\n\
         private = {private}\n\
         public = {public}\n\
         key = {key}\n\
         signing_key = {signing}\n\n\
         # The times of the ticks. Every `publish_every` ticks (below) the daemon makes a release.\n\
         [schedule]\n\
         every = \"1d\"\n\
         # approval = \"manual\"              # a person approves each release after the gate has: `tidegate approve`\n\n\
         # What manifests and reports say to readers. It may be changed at any time.\n\
         [publish]\n\
         # purpose = \"…\"                    # what the data may be used for\n\
         # contact = \"…\"                    # how readers reach the controller of the data\n\
         language = \"en\"                    # of reports: \"en\" or \"de\"\n",
        path = format!("path = {}", quoted(INCOMING)),
        private = quoted(&format!("var/{name}")),
        public = quoted(&format!("releases/{name}")),
        key = quoted(&format!("file:keys/{name}.key")),
        signing = quoted(&format!("file:keys/{name}.signing.key")),
    );
}

fn policy(text: &mut String, columns: &[Guess]) {
    text.push_str(
        "\n# The privacy requirement: each person must be indistinguishable from at least k - 1 others, in each release and in\n\
         # all releases together.\n\
         [policy]\n\
         k = 10\n\
         # New people get labels that they keep for ever, as fine as similar people allow (or \"top-down\": one list of labels\n\
         # for all rows, which is much coarser).\n\
         search = \"halves\"\n\
         publish_every = 1                  # number of ticks that one release joins: more people at once give finer labels;\n\
         \x20                                  # about 300 times k new people at once give fine ones\n",
    );
    if !columns
        .iter()
        .any(|column| column.role == Some(Role::Identifier))
    {
        text.push_str(
            "on_repeat = \"none\"                 # no identifier column: every row counts as a different person\n",
        );
    }
    if columns.iter().any(proposes) {
        text.push_str(
            "m = 2                              # no reader links a person to a `guarded` value with a probability \
            above 1/m\n",
        );
    } else if columns
        .iter()
        .any(|column| column.role == Some(Role::Sensitive))
    {
        text.push_str(
            "# A class whose members all have the same sensitive value reveals it. With values `guarded` below, no reader links a\n\
             # person to one of them with a probability above 1/m:\n\
             # m = 2\n",
        );
    }
}

fn declared(text: &mut String, column: &Guess, role: Role) {
    let role = match role {
        Role::Identifier => "identifier",
        Role::Quasi => "quasi",
        Role::Sensitive => "sensitive",
        Role::Measure => "measure",
        Role::Input => "input",
    };
    comment(text, "", &sentence(&column.reason));
    let _ = write!(
        text,
        "[[column]]\nname = {}\nrole = \"{role}\"\n",
        quoted(&column.name)
    );
    if let Some(path) = &column.path {
        let _ = writeln!(text, "path = {}", quoted(path));
    }
    if let Some(kind) = column.kind {
        let _ = writeln!(text, "type = \"{}\"", kind_name(kind));
    }
    if let Some(proposal) = &column.taxonomy {
        comment(text, "", &sentence(&proposal.why));
        let _ = writeln!(text, "taxonomy = {}", inline(&proposal.table));
        if let Some(other) = proposal.unknown.as_ref().filter(|_| role == "quasi") {
            let line = format!("unknown = {}", quoted(other));
            let _ = writeln!(
                text,
                "{line:<34} # the leaf for values that the taxonomy lacks"
            );
        }
    }
    if column.optional {
        text.push_str(
            "optional = true                    # rows of the sample lack a value: they get the leaf \
            `unknown`\n",
        );
    }
    if proposes(column) {
        text.push_str(&guarded_values::text());
    } else if role == "sensitive" {
        text.push_str(
            "# guarded = [[\"…\"], [\"…\", \"…\"]]      # values, or sets of them, that no person may be linked to: \
            write m = 2 in [policy]\n",
        );
    }
}

fn dropped(text: &mut String, column: &Guess) {
    comment(text, "", &format!("Dropped: {}", sentence(&column.reason)));
    let _ = write!(
        text,
        "# [[column]]\n# name = {}\n# role = \"quasi\"                   # with a taxonomy\n",
        quoted(&column.name)
    );
}

/// A table on one line, keys in the order of the schema.
pub(super) fn inline(table: &TaxonomyTable) -> String {
    let value = serde_json::to_value(table).expect("a table of texts and numbers");
    let pairs = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key} = {}", plain(value)));
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => quoted(text),
        serde_json::Value::Array(items) => format!(
            "[{}]",
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

/// Writes the name of its file into a table.
pub(super) fn name_file(table: &mut TaxonomyTable, file: String) {
    match &mut table.domain {
        Some(PrefixCodes::File(name)) => *name = file,
        _ => table.file = Some(file),
    }
}

/// The word for a type.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Int => "int",
        Kind::Float | Kind::Decimal(_) => "float",
        Kind::Bool => "bool",
        Kind::Date => "date",
    }
}

/// With a capital first and a full stop last.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars
        .next()
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// Comment lines of readable length.
fn comment(text: &mut String, indent: &str, words: &str) {
    let mut line = format!("{indent}#");
    for word in words.split_whitespace() {
        if line.chars().count() + word.chars().count() > 110 {
            text.push_str(&line);
            text.push('\n');
            line = format!("{indent}#");
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}
