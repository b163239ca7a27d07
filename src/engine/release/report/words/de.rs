//! The texts in German.

use super::{CheckWords, Term, Words, check as words, term};
use crate::check::Check;
use crate::language::Language;

pub(super) const WORDS: Words = Words {
    language: Language::German,
    separators: [".", ","],
    row: ["Zeile", "Zeilen"],
    value: ["Wert", "Werte"],
    label: ["Label", "Labels"],
    published_label: ["veröffentlichtes Label", "veröffentlichte Labels"],
    more_label: ["weiteres Label", "weitere Labels"],
    other: ["andere Person", "andere Personen"],
    checks,
    checks_of_lasting_labels,
    terms: TERMS,

    title: "{feed}, Release {release}",
    due: "{time}, Kette {chain}",
    purpose: "Zweck",
    contact: "Kontakt",
    verdict: "Urteil",
    approved: "Die Prüfung hat dieses Release zur Veröffentlichung freigegeben. Sie hat es so angegriffen, wie ein Leser es könnte, und jede \
               durchgeführte Prüfung ist bestanden.",
    unchecked: "Es wurde keine Prüfung durchgeführt: Nichts schützt die Personen in diesem Release.",
    judged: "Geprüft",
    not_judged: "Nicht geprüft",
    without_detail: "Spalten ohne Detail, mit demselben Label in jeder Zeile: {columns}.",

    in_short: "Auf einen Blick",
    rows: "Zeilen",
    one_per_person: "eine pro Person",
    classes: "Klassen",
    people_of_a_class: "Gruppen von Zeilen mit gleichen Labels",
    people_of_two_tables: "Gruppen von Personen, deren sensible Werte zusammen aufgeführt sind",
    smallest_class: "Kleinste Klasse",
    at_least_k: "die Richtlinie verlangt mindestens {k}",
    detail_lost: "Informationsverlust",
    detail_hidden: "Detail, das eine Klasse verbirgt",
    loss_of: "Verlust {loss} von höchstens 1",
    refinement: "Verfeinerung",

    since: "Seit dem vorigen Release",
    first_release: "Dies ist das erste Release seiner Kette: Es gibt keines zum Vergleich.",
    release_column: "Release {release}",
    figure: "Kennzahl",
    this_release: "Dieses Release ({release})",
    trends: "Alle Releases dieser Kette",
    trends_text: "Jedes Diagramm reicht von Release {first} bis Release {last}. Ein zurückgezogenes Release fehlt.",
    trend: "{name}, Release {first} bis {last}: von {from} auf {to}",

    promise: "Was garantiert ist",
    promise_lasting: "Die Suche hat Labels nie anhand sensibler Werte gewählt, \
                      und eine Klasse behält ihre Labels für immer. Jede Person gehört zu einer Klasse von mindestens {k}: {others} wurden \
                      zuerst im selben Release unter denselben Labels veröffentlicht. Das gilt für alle Releases dieser Kette zusammen, auch \
                      gegenüber einem Angreifer, der das Verfahren, alle Zeitpunkte und diese Spalten jeder Person kennt.",
    promise_bcf_warning: "Nicht sicher gegenüber einem Angreifer, der das Verfahren kennt, denn ein Release, das es verweigert hat, kann sensible \
                          Werte verraten, und nicht gegenüber einem, der die Spalten unten von jeder Person kennt. Diese Garantie ist für \
                          Vergleiche da.",
    promise_bcf: "Jede Person gehört zu einer Klasse von mindestens {k} ({others}) für einen Angreifer, der die Releases vergleicht, die \
                  Spalten unten von dieser einen Person kennt und sonst nichts weiß.",
    promise_two_warning: "Die Spalten unten sind genau so veröffentlicht, wie sie sind: Ein Leser, der sie von einer Person kennt, kann \
                          herausfinden, ob die Person in diesem Release ist.",
    promise_two: "Jedes Release enthält andere Personen als die vorigen. Es besteht aus zwei Tabellen, und geschützt ist, welcher sensible Wert zu \
                  wem gehört: Die Werte jeder Person sind zusammen mit denen von mindestens {others} aufgeführt (Klassen von mindestens {k}).",
    promise_disjoint: "Jedes Release enthält andere Personen als die vorigen. Jede Person gehört zu einer Klasse von mindestens {k} ({others}) in dem \
                       Release, das sie enthält.",
    promise_m: "Ein Angreifer kann eine Person mit einer Wahrscheinlichkeit von höchstens 1/{m} mit einem besonders geschützten Wert verbinden.",
    promise_masked: "Dafür wurden einige sensible Werte ersetzt (MASK mit l' = {l}); Anzahlen besonders geschützter Werte sind deshalb Näherungen.",
    masking_bound: "Wie viele Werte ersetzt wurden, ist geheim, weil die genaue Zahl Personen verraten könnte. Aus m und den Klassengrößen können \
                    Leser ableiten: Höchstens {shown} von {rows} Zeilen zeigen einen Wert einer besonders geschützten Menge, und bis zu alle \
                    Zeilen einer Klasse können ersetzt worden sein.",
    not_promised: "Nicht garantiert: dass ein Leser nicht herausfinden kann, ob oder seit wann eine Person in den Daten ist. Eine Klasse schützt einen \
                   sensiblen Wert nur, wenn ihre Mitglieder verschiedene Werte haben; ob das geprüft wurde, steht unter <a \
                   href=\"#checks\">Prüfungen</a>.",
    rule_parts: "Lesen Sie die Tabellen, die das neueste Manifest aufführt, alle davon und keine andere Datei",
    rule_newest: "Kombinieren Sie nie Releases durch Addieren oder Subtrahieren; das neueste ersetzt alle früheren",
    rule_never: "Kombinieren Sie nie Releases durch Addieren oder Subtrahieren",
    signed: "Das Manifest dieses Releases ist signiert; die Signatur ist daneben veröffentlicht.",
    unsigned: "Das Manifest dieses Releases ist nicht signiert: Nichts beweist, wer es veröffentlicht hat.",

    columns_two: "Spalten, die die Klassen bilden",
    columns_two_text: "Kein Wert wurde ersetzt: Eine Tabelle zeigt diese Spalten, wie sie sind. Personen sind in einer Klasse, wenn sie dieselben \
                       gröberen Labels haben, die hier gezeichnet sind. Verlust ist der Anteil des Wertebereichs, den ein solches Label \
                       zusammenfasst",
    columns: "Detail jeder Spalte",
    columns_text: "Werte wurden durch gröbere Labels ersetzt, bis jede Klasse groß genug war. Verlust ist der Anteil des Wertebereichs, den ein Label \
                   verbirgt",
    columns_lasting_text: "Werte wurden durch gröbere Labels ersetzt. Jede Klasse hat eigene Labels und behält sie in allen späteren Releases. Die \
                           Tabelle zeigt, wie viele Zeilen ein Label welcher Größe haben. Verlust ist der Anteil des Wertebereichs, den ein Label \
                           verbirgt",
    columns_own_text: "Werte wurden durch gröbere Labels ersetzt. Jede Klasse hat eigene Labels, so fein wie möglich. Verlust ist der Anteil des \
                       Wertebereichs, den ein Label verbirgt",
    loss_scale: "{text}, als Mittel über alle Zeilen: 0 = alles Detail ist da, 1 = kein Detail ist da.",
    column: "Spalte",
    loss: "Verlust",
    labels: "Labels",
    values_before: "Werte vorher",
    no_detail_rows: "Zeilen ohne Detail",
    value_itself: "Genauer Wert",
    share_of_domain_first: "bis {most}\u{a0}% aller Werte",
    share_of_domain: "bis {most}\u{a0}%",
    share_of_domain_rest: "mehr",
    no_detail: "Kein Detail",
    sensitive_beside: "Die Tabelle enthält außerdem {columns}: sensibel, nicht verallgemeinert. Ein leerer Wert fehlte in der Quelle oder war nicht \
                       lesbar.",
    sensitive_other_table: "Die andere Tabelle enthält {columns}: sensibel, nicht verallgemeinert. Ein leerer Wert fehlte in der Quelle oder war \
                            nicht lesbar.",
    and: "und",
    labels_of_columns: "Labels jeder Spalte",
    labels_of_columns_text: "Labels verschiedener Klassen können sich überlappen.",
    drawings: "Spalten auf ihren Taxonomien",
    drawings_key_divided: "weiter geteilt",
    drawings_key_published: "veröffentlichtes Label",
    drawings_key_several: "mehrere veröffentlichte Labels",
    drawings_key_text: "Ein Kasten ist so breit wie sein Teil des Wertebereichs; die Fläche des Balkens darunter ist die Zahl seiner Zeilen.",
    drawing: "Taxonomie von {column} bis zu {labels}",
    divided_further: "{label}: {values}, weiter geteilt",
    several_labels: "{label}: {values}, {rows}",
    label_caption_most: "{labels}; die {count} mit den meisten Zeilen, in der Reihenfolge der Taxonomie",
    label_column: "Label",
    values_in_it: "Werte",
    share: "Anteil",
    share_drawn: "Anteil, gezeichnet",
    without_rows: "{labels} ohne Zeilen",
    on_screen: "Die Seite am Bildschirm enthält auch die Labels jeder Spalte.",

    reading: "Lesen und Zählen",
    reading_rows: "Eine veröffentlichte Zeile ändert sich nie. Das nächste Release enthält sie unverändert und fügt neue Zeilen hinzu; verwenden Sie \
                   deshalb allein das neueste Release.",
    reading_overlap: "Labels verschiedener Klassen überlappen sich: Eine Person von 25 Jahren kann in einer Zeile mit <code>20-29</code> oder in \
                      einer mit <code>0-59</code> stehen. Um Personen von 20 bis 29 zu zählen, zählen Sie nicht allein Zeilen der ersten Art.",
    reading_spread: "Verteilen Sie jede Zeile auf die Werte ihres Labels. Eine gleichmäßige Verteilung ist eine erste Schätzung. Eine bessere, die \
                     mehrfach näher liegt, schätzt, wie sich Personen auf die Werte verteilen (die Verteilung, unter der diese Labels am \
                     wahrscheinlichsten sind), und verteilt Zeilen danach: Das tut <code>tidegate query</code>. Es ist zulässig, weil Labels nicht \
                     danach gewählt wurden, wo in ihnen Personen liegen, abgesehen von dem Faktor unter <a href=\"#checks\">Prüfungen</a>.",
    reading_exact: "Spalten, die nicht verallgemeinert sind, sind exakt.",
    reading_masked: "Einige besonders geschützte Werte wurden zum Schutz von Personen ersetzt: Ihre Anzahlen sind Näherungen. Alle anderen Spalten, die \
                     nicht verallgemeinert sind, sind exakt.",

    checks_heading: "Prüfungen",
    checks_text: "Vor der Veröffentlichung wurde dieses Release so angegriffen, wie ein Leser es könnte. Eine Prüfung, die nicht durchgeführt wurde, \
                  schützt keine Person.",
    no_check: "Es wurde keine Prüfung durchgeführt.",
    check_column: "Prüfung",
    outcome: "Ergebnis",
    found: "Gefunden",
    limit: "Grenze",
    margin: "Abstand",
    not_made: "nicht durchgeführt",
    passed_private: "bestanden; die Kennzahl ist vertraulich",
    passed: "bestanden",
    reported: "berichtet",
    beyond: "jenseits der Grenze",
    at_least: "mindestens {limit}",
    at_most: "höchstens {limit}",
    less_than: "weniger als {limit}",

    measures: "Messgrößen",
    measures_text: "Eine Messgröße wird für jedes Label eines Releases als Anzahl der Werte, Summe und Mittelwert veröffentlicht, in einer eigenen \
                    Tabelle. Eine Summe, aus der der Wert einer Person zu genau hervorginge, fehlt.",
    measures_unrelated: "{measures}: neben maskierten Werten veröffentlicht, weil diese Zahlen laut Betreiber nicht von geschützten Werten \
                         abhängen. Keine Prüfung untersucht das: Hängen sie davon ab, zeigen ihre Summen, welche Klassen solche Werte haben.",
    measures_of_new: "Gezählt sind die Labels, die in diesem Release neu sind.",
    measure: "Messgröße",
    new_labels: "Neue Labels",
    sums_shown: "Summe veröffentlicht",
    sums_dominated: "Weggelassen: ein großer Wert",
    sums_of_few: "Weggelassen: wenige Werte",
    sums_of_none: "Kein Wert",
    labels_dominated: "{measure}: Unter diesen Labels macht der Wert einer Person einen zu großen Teil der Summe aus: {labels}.",
    labels_of_few: "{measure}: Diese Labels haben weniger als {k} Werte: {labels}.",
    and_more: "{list}; und {more} weitere, die in der Tabelle stehen",
    measures_interval: "Keine veröffentlichte Summe enthält einen Teil einer weggelassenen; deshalb lässt sich für diese keine Schranke berechnen. \
                        Dass sie fehlt, sagt nur, dass wenige Werte den größten Teil ausmachen, nicht, wie groß sie sind. Andere Releases ändern \
                        daran nichts: Eine Summe wird einmal veröffentlicht und ändert sich nie.",

    sizes: "Größen der Klassen",
    size_column: "Personen in der Klasse",
    size_range: "{from} bis {to}",
    risk: "Risiko der Re-Identifizierung",
    risk_two: "Keine Kennzahl. Eine Tabelle zeigt die Spalten jeder Person, wie sie sind; ein Angreifer, der sie kennt, kann die Zeile finden. Eine \
               Klasse verbirgt, welcher sensible Wert dazu gehört.",
    risk_none: "Es gibt keine Zeile.",
    risk_text: "Die Wahrscheinlichkeit, mit der ein Angreifer, der die Spalten oben von einer Person kennt, die Zeile dieser Person trifft, allein aus \
                dieser Tabelle. {counted}. Was der Vergleich von Releases hinzufügt, steht unter <a href=\"#checks\">Prüfungen</a>.",
    risk_counted: "Zeilen mit gleichen Labels zählen als eine Klasse",
    risk_counted_lasting: "Zeilen zählen als eine Klasse, wenn sie gleiche Labels haben und mit demselben Release kamen. Labels anderer Klassen können \
                           ebenfalls auf die Person passen; die Kennzahlen sind deshalb obere Grenzen",
    prosecutor_highest: "Prosecutor-Risiko, höchstes",
    prosecutor_highest_text: "Der Angreifer weiß, dass die Person in der Tabelle ist. So hoch ist das Risiko von {rows} in den kleinsten Klassen.",
    prosecutor_average: "Prosecutor-Risiko, mittleres",
    prosecutor_average_text: "Das Mittel über alle Zeilen: Zahl der Klassen durch Zahl der Zeilen.",
    rows_at_risk: "Zeilen über 20\u{a0}%",
    rows_at_risk_text: "Der Anteil der Zeilen in Klassen von weniger als fünf.",
    journalist: "Journalist-Risiko, höchstes",
    journalist_text: "Der Angreifer weiß nicht, ob die Person in der Tabelle ist. Unter allen Personen, aus denen die Zeilen stammen, ist eine Klasse \
                      mindestens so groß; das Risiko ist höchstens das Prosecutor-Risiko.",
    marketer: "Marketer-Risiko",
    marketer_text: "Der erwartete Anteil richtiger Zuordnungen, wenn ein Angreifer alle Zeilen versucht.",
    uniques: "Einzelne in der Stichprobe",
    uniques_text: "Zeilen, die in ihrer Klasse allein sind. Nur eine solche Person kann unter allen, aus denen die Zeilen stammen, einzigartig sein.",

    policy: "Geltende Richtlinie",
    files: "Dateien",
    files_text: "Die SHA-256-Prüfsumme jeder Datei, die mit diesem Release kam. Das Manifest führt alle Dateien auf, auch diese Seite.",
    file: "Datei",
    files_kept: "{files} mit Zeilen früherer Releases gehören ebenfalls zum Release; das Manifest führt sie auf.",
    glossary: "Begriffe",

    index_title: "Releases von {feed}",
    index_text: "Jedes Release hat einen Bericht. Ein Release ist veröffentlicht, wenn sein Manifest da ist; diese Seite ist eine Hilfe und nicht \
                 signiert.",
    index_chain: "Kette {chain}",
    index_report: "Bericht",
    index_newest: "Neuestes Release",
    index_older: "{releases} ältere Releases sind nicht aufgeführt.",
    index_none: "Es ist kein Release veröffentlicht.",
    time: "Fällig",

    copy_warning: "Exemplar des Betreibers. Es nennt Personen, die freigegeben haben, und enthält vertrauliche Kennzahlen: nicht veröffentlichen.",
    copy_approvals: "Freigabe",
    copy_no_approval: "Keine Person hat dieses Release freigegeben.",
    copy_who: "Person",
    copy_when: "Zeit",
    copy_why: "Grund",
    copy_key: "Schlüssel",
    copy_missing: "Noch fehlende Freigaben: {count}.",
    copy_waiting: "Personen, die nicht veröffentlicht sind",
    copy_waiting_rows: "Warten auf genügend ähnliche Zeilen",
    copy_oldest: "Längste Wartezeit, in Takten",
    copy_verdict: "Was die Prüfung fand",
    copy_no_reasons: "Die Prüfung fand keinen Grund gegen dieses Release.",
    copy_signing_key: "Fingerabdruck des Schlüssels, der Manifeste signiert: {key}.",
    copy_signatures: "Unterschriften",
    copy_signature_place: "Name, Datum, Unterschrift",
    copy_digest: "Prüfsumme der Entscheidung: {digest}.",
};

fn checks_of_lasting_labels(check: Check) -> Option<CheckWords> {
    match check {
        Check::Atoms => Some(words(
            "Klassen eines Releases",
            "Die kleinste Zahl von Personen, die mit einem Release unter denselben Labels kamen.",
        )),
        Check::Correspondence => Some(words(
            "Vergleich mit dem vorigen Release",
            "Alle früheren Zeilen sind unverändert da; die kleinste Zahl neuer Zeilen mit denselben Labels.",
        )),
        Check::Chain => Some(words(
            "Vergleich aller Releases",
            "Die kleinste Zahl von Kandidaten nach dem Vergleich aller Releases: Zeilen, die mit einem Release unter denselben Labels kamen.",
        )),
        Check::Refinement => Some(words(
            "Lage innerhalb eines Labels",
            "Der größte Faktor, um den ein Leser, der das Verfahren kennt, die Chancen ändern kann, wo in ihrem Label eine Person liegt.",
        )),
        _ => None,
    }
}

#[rustfmt::skip]
fn checks(check: Check) -> CheckWords {
    match check {
        Check::Crowd => words("Klassengröße",
            "Die kleinste Zahl von Zeilen, die alle Labels gemeinsam haben."),
        Check::Form => words("Bytes der Tabelle",
            "Die Datei enthält ihre Zeilen in der einen festgelegten Reihenfolge und Schreibweise, und sonst nichts."),
        Check::Growth => words("Keine Person verloren oder doppelt",
            "Das Release enthält genau die Personen des vorigen und die neuen."),
        Check::Pages => words("Manifest, Taxonomien und diese Seite",
            "Sie sagen, was aus der Tabelle, der Feed-Datei und früheren Releases folgt, und sonst nichts."),
        Check::Utility => words("Informationsverlust",
            "Wie viel Detail aufgegeben wurde; über der Grenze ist ein Release sein Risiko nicht wert."),
        Check::Atoms => words("Klassen eines Inkrements",
            "Die kleinste Zahl von Personen, die zusammen ankamen und in jedem Release zusammen bleiben."),
        Check::Correspondence => words("Vergleich mit früheren Releases",
            "Die kleinste Zahl von Kandidaten nach dem Vergleich dieses Releases mit einem früheren."),
        Check::Chain => words("Vergleich aller Releases",
            "Die kleinste Zahl von Kandidaten nach dem Vergleich aller Releases der Kette."),
        Check::DistinctL => words("Verschiedene Werte",
            "Die kleinste Zahl verschiedener sensibler Werte in einer Klasse."),
        Check::EntropyL => words("Gleichmäßigkeit der Werte",
            "Wie gleichmäßig sensible Werte in jeder Klasse verteilt sind, als Zahl gleich häufiger Werte."),
        Check::RecursiveC => words("Kein vorherrschender Wert",
            "Wie oft der häufigste sensible Wert einer Klasse vorkommt, verglichen mit den seltenen."),
        Check::Alpha => words("Anteil eines Werts",
            "Der größte Anteil eines sensiblen Werts in einer Klasse."),
        Check::Confidence => words("Anteil besonders geschützter Werte",
            "Der größte Anteil einer besonders geschützten Menge in einer Klasse."),
        Check::T => words("Nähe",
            "Der größte Abstand zwischen den sensiblen Werten einer Klasse und denen der ganzen Tabelle."),
        Check::Minimality => words("Minimalitätsangriff",
            "Die höchste Wahrscheinlichkeit eines besonders geschützten Werts, die ein Angreifer für eine Person daraus ableiten kann, wie das \
         Release entstand."),
        Check::Refinement => words("Verfeinerungsangriff",
            "Wie weit die Regeln des Verfahrens einengen, wie eine Klasse ausgesehen haben kann."),
        Check::Certainty => words("Bekannte kleine Klassen",
            "Die Zahl der Klassen unter der erlaubten Größe, von denen ein Leser ableiten kann, dass und wo es sie gibt."),
        Check::MaxGlobalRatio => words("Rückschluss aus der Grobheit",
            "Wie weit die Tatsache, dass Labels nicht feiner waren, die möglichen Tabellen einengt."),
        Check::Maximality => words("Rückschluss aus den letzten Labels",
            "Dasselbe, aus Labels, die nicht weiter geteilt werden konnten; eine untere Grenze."),
        Check::Dominance => words("Summen von Messgrößen",
            "Jede veröffentlichte Summe ist die der Werte ihrer Personen, und keine verrät den größten davon, weder allein noch zusammen mit anderen Releases."),
        Check::Algorithm => words("Ein Angreifer, der das Verfahren kennt",
            "Ein Release unter bcf ist gegen diesen Angreifer nicht sicher: Was verweigert wurde, kann sensible Werte verraten."),
        Check::Grouping => words("Schlüsse aus der Bildung der Gruppen",
            "Was ein Angreifer, der das Gruppierungsverfahren kennt, über die Beschriftungen hinaus schließen kann, wird nicht berechnet."),
        Check::Diversity => words("Vielfalt",
            "Ob Klassen genügend verschiedene sensible Werte zeigen."),
        Check::Policy => words("Einstellungen ohne Prüfung",
            "Einstellungen der Policy, die keine Prüfung dieser Version beurteilt."),
    }
}

const TERMS: &[Term] = &[
    term(
        "Klasse",
        "Zeilen mit gleichen Labels. Ein Angreifer kann die Personen einer Klasse anhand dieser Spalten nicht unterscheiden.",
    ),
    term(
        "Label",
        "Was eine Zeile in einer Spalte zeigt: ein genauer Wert oder ein Name für mehrere Werte.",
    ),
    term(
        "k",
        "Die kleinste Zahl von Zeilen, die eine Klasse haben darf.",
    ),
    term(
        "Verlust",
        "Informationsverlust, von 0 (jeder Wert genau) bis 1 (kein Detail).",
    ),
    term(
        "Kette",
        "Releases, die unter einer Richtlinie und einer Liste von Spalten aufeinander folgen.",
    ),
    term(
        "Inkrement",
        "Die Datensätze, die zwischen zwei Takten des Zeitplans ankamen.",
    ),
    term(
        "Prüfung",
        "Der Teil des Programms, der ein Release vor der Veröffentlichung angreift und es allein hinauslassen kann.",
    ),
    term(
        "Besonders geschützte Menge",
        "Sensible Werte, die die Richtlinie strenger schützt.",
    ),
];
