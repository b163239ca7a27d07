//! The texts in English.

use super::{CheckWords, Term, Words, check as words, term};
use crate::check::Check;
use crate::language::Language;

pub(super) const WORDS: Words = Words {
    language: Language::English,
    separators: [",", "."],
    row: ["row", "rows"],
    value: ["value", "values"],
    label: ["label", "labels"],
    published_label: ["published label", "published labels"],
    more_label: ["more label", "more labels"],
    other: ["other person", "other people"],
    checks,
    checks_of_lasting_labels,
    terms: TERMS,

    title: "{feed}, release {release}",
    due: "{time}, chain {chain}",
    purpose: "Purpose",
    contact: "Contact",
    verdict: "Verdict",
    approved: "The gate approved this release for publication. It attacked the release as a reader could, and every check that it made \
               has passed.",
    unchecked: "No check was made: nothing protects the people in this release.",
    judged: "Checked",
    not_judged: "Not checked",
    without_detail: "Columns without detail, with the same label in every row: {columns}.",

    in_short: "In short",
    rows: "Rows",
    one_per_person: "one per person",
    classes: "Classes",
    people_of_a_class: "groups of rows with equal labels",
    people_of_two_tables: "groups of people whose sensitive values are listed together",
    smallest_class: "Smallest class",
    at_least_k: "the policy requires at least {k}",
    detail_lost: "Information loss",
    detail_hidden: "Detail that a class hides",
    loss_of: "Loss {loss} of at most 1",
    refinement: "Refinement",

    since: "Since the release before",
    first_release: "This is the first release of its chain: there is nothing to compare it with.",
    release_column: "Release {release}",
    figure: "Figure",
    this_release: "This release ({release})",
    trends: "All releases of this chain",
    trends_text: "Each plot goes from release {first} to release {last}. Withdrawn releases are missing.",
    trend: "{name}, release {first} to {last}: from {from} to {to}",

    promise: "What is guaranteed",
    promise_lasting: "The search never read sensitive values when it chose labels, and a \
                      class keeps its labels for ever. Each person is one of a class of at least {k}: {others} were first published in \
                      the same release under the same labels. This holds for all releases of this chain together, and against an attacker \
                      who knows the algorithm, all dates, and these columns of every person.",
    promise_bcf_warning: "Not safe against an attacker who knows the algorithm, as a release that it refused can reveal sensitive values, nor \
                          against one who knows the columns below of every person. This guarantee exists for comparison.",
    promise_bcf: "Each person is one of a class of at least {k} ({others}) for an attacker who compares the releases, knows the columns below \
                  of this one person, and knows nothing more.",
    promise_two_warning: "The columns below are published exactly as they are: a reader who knows them of a person can find out whether the \
                          person is in this release.",
    promise_two: "Each release holds other people than the releases before it. It consists of two tables, and what is protected is which \
                  sensitive value belongs to whom: the values of each person are listed together with those of at least {others} (classes of \
                  at least {k}).",
    promise_disjoint: "Each release holds other people than the releases before it. Each person is one of a class of at least {k} ({others}) \
                       in the release that holds them.",
    promise_m: "An attacker can link a person to a guarded value with a probability of at most 1/{m}.",
    promise_masked: "For that the daemon replaced some sensitive values (MASK with l' = {l}), so counts of guarded values are approximate.",
    masking_bound: "How many values were replaced is secret, because the exact number could identify people. From m and the sizes of classes \
                    readers can derive: at most {shown} of {rows} rows show a value of a given guarded set, and up to all rows of a class can \
                    have been replaced.",
    not_promised: "Not guaranteed: that a reader cannot find out whether a person is in the data, or since when. A class protects a sensitive \
                   value only if its members have different values; whether the gate looked at that is listed under <a \
                   href=\"#checks\">Checks</a>.",
    rule_parts: "Read the tables that the newest manifest lists, all of them and no other file",
    rule_newest: "Never combine releases by adding or subtracting them; the newest replaces all earlier ones",
    rule_never: "Never combine releases by adding or subtracting them",
    signed: "The manifest of this release is signed; the signature is published beside it.",
    unsigned: "The manifest of this release is not signed: nothing proves who published it.",

    columns_two: "Columns that form the classes",
    columns_two_text: "No value was replaced: one table shows these columns as they are. People are in one class if they have the same \
                       coarser labels, which are drawn here. Loss is the share of its domain that such a label combines",
    columns: "Detail of each column",
    columns_text: "Values were replaced by coarser labels until every class was large enough. Loss is the share of its domain that a label \
                   hides",
    columns_lasting_text: "Values were replaced by coarser labels. Each class has labels of its own and keeps them in all later releases. The \
                           table shows how many rows have a label of which size. Loss is the share of its domain that a label hides",
    columns_own_text: "Values were replaced by coarser labels. Each class has labels of its own, as fine as they could be. Loss is the share of \
                       its domain that a label hides",
    loss_scale: "{text}, as the mean over all rows: 0 = all detail is left, 1 = no detail is left.",
    column: "Column",
    loss: "Loss",
    labels: "Labels",
    values_before: "Values before",
    no_detail_rows: "Rows without detail",
    value_itself: "Exact value",
    share_of_domain_first: "up to {most}\u{a0}% of all values",
    share_of_domain: "up to {most}\u{a0}%",
    share_of_domain_rest: "more",
    no_detail: "No detail",
    sensitive_beside: "The table also holds {columns}: sensitive, not generalised. An empty value was missing in the source, or could not be \
                       read.",
    sensitive_other_table: "The other table holds {columns}: sensitive, not generalised. An empty value was missing in the source, or could not \
                            be read.",
    and: "and",
    labels_of_columns: "Labels of each column",
    labels_of_columns_text: "Labels of different classes can overlap.",
    drawings: "Columns on their taxonomies",
    drawings_key_divided: "divided further",
    drawings_key_published: "published label",
    drawings_key_several: "several published labels",
    drawings_key_text: "A box is as wide as its part of the domain; the area of the bar below it is the number of its rows.",
    drawing: "Taxonomy of {column} down to {labels}",
    divided_further: "{label}: {values}, divided further",
    several_labels: "{label}: {values}, {rows}",
    label_caption_most: "{labels}; the {count} with the most rows, in the order of the taxonomy",
    label_column: "Label",
    values_in_it: "Values",
    share: "Share",
    share_drawn: "Share, drawn",
    without_rows: "{labels} without rows",
    on_screen: "The page on a screen also has the labels of each column.",

    reading: "How to read and count",
    reading_rows: "A published row never changes. The next release holds it unchanged and adds new rows, so use the newest release alone.",
    reading_overlap: "Labels of different classes overlap: a person of 25 can be in a row with <code>20-29</code> or in a row with \
                      <code>0-59</code>. To count people aged 20 to 29, do not count rows of the first kind alone.",
    reading_spread: "Distribute each row over the values of its label. An even distribution is a first estimate. A better one, which is several \
                     times closer, estimates how people are distributed over the values (the distribution under which these labels are most \
                     likely) and distributes rows by it: <code>tidegate query</code> does this. It is sound because labels were not chosen by \
                     where people lie in them, except for the factor under <a href=\"#checks\">Checks</a>.",
    reading_exact: "Columns that are not generalised are exact.",
    reading_masked: "Some values of guarded sets were replaced to protect people: their counts are approximate. All other columns that are not \
                     generalised are exact.",

    checks_heading: "Checks",
    checks_text: "Before publication the gate attacked this release as a reader could. A check that was not made protects no person.",
    no_check: "No check was made.",
    check_column: "Check",
    outcome: "Outcome",
    found: "Found",
    limit: "Limit",
    margin: "Margin",
    not_made: "not made",
    passed_private: "passed; the figure is private",
    passed: "passed",
    reported: "reported",
    beyond: "beyond its limit",
    at_least: "at least {limit}",
    at_most: "at most {limit}",
    less_than: "less than {limit}",

    measures: "Measures",
    measures_text: "A measure is published as number of values, sum and mean for each label of a release, in a table \
                    of its own. A sum that would reveal one person's value too closely is suppressed.",
    measures_unrelated: "{measures}: published beside masked values because the operator says that these numbers do not depend on \
                         guarded values. No check examines that: if they do depend on them, their sums show which classes have such values.",
    measures_of_new: "The table counts the labels that are new in this release.",
    measure: "Measure",
    new_labels: "New labels",
    sums_shown: "Sum published",
    sums_dominated: "Suppressed: a large value",
    sums_of_few: "Suppressed: few values",
    sums_of_none: "No value",
    labels_dominated: "{measure}: in these labels one person's value is too large a part of the sum: {labels}.",
    labels_of_few: "{measure}: these labels have fewer than {k} values: {labels}.",
    and_more: "{list}; and {more} more, which the table shows",
    measures_interval: "No published sum contains a part of a suppressed sum, so readers can compute no bound for it. \
                        Its suppression reveals that a few values make up most of it, and not how large these are. \
                        Other releases reveal nothing more: a sum is published once, and never changes.",

    sizes: "Sizes of classes",
    size_column: "People in the class",
    size_range: "{from} to {to}",
    risk: "Risk of re-identification",
    risk_two: "No figure is given. One table shows the columns of each person as they are, so an attacker who knows them can find the row. A class \
               hides which sensitive value belongs to it.",
    risk_none: "There is no row.",
    risk_text: "The probability that an attacker who knows the columns above of a person picks this person's row, from this table alone. {counted}. \
                What the comparison of releases adds is under <a href=\"#checks\">Checks</a>.",
    risk_counted: "Rows with equal labels count as one class",
    risk_counted_lasting: "Rows count as one class if they have equal labels and came with the same release. Labels of other classes can fit the \
                           person as well, so the figures are upper bounds",
    prosecutor_highest: "Prosecutor risk, highest",
    prosecutor_highest_text: "The attacker knows that the person is in the table. This is the risk of {rows} in the smallest classes.",
    prosecutor_average: "Prosecutor risk, average",
    prosecutor_average_text: "The mean over all rows: number of classes divided by number of rows.",
    rows_at_risk: "Rows above 20\u{a0}%",
    rows_at_risk_text: "The share of rows in classes of fewer than five.",
    journalist: "Journalist risk, highest",
    journalist_text: "The attacker does not know whether the person is in the table. Among all people from whom the rows come a class is at least as \
                      large, so the risk is at most the prosecutor's.",
    marketer: "Marketer risk",
    marketer_text: "The expected share of correct matches if an attacker tries all rows.",
    uniques: "Sample uniques",
    uniques_text: "Rows that are alone in their class. Only such a person can be unique among all people from whom the rows come.",

    policy: "Policy in force",
    files: "Files",
    files_text: "The SHA-256 digest of each file that came with this release. The manifest lists all files, this page included.",
    file: "File",
    files_kept: "{files} with rows of earlier releases belong to the release too; the manifest lists them.",
    glossary: "Terms",

    index_title: "Releases of {feed}",
    index_text: "Each release has a report. A release is published when its manifest is there; this page is a convenience and is not signed.",
    index_chain: "Chain {chain}",
    index_report: "Report",
    index_newest: "Newest release",
    index_older: "{releases} older releases are not listed.",
    index_none: "No release is published.",
    time: "Due",

    copy_warning: "Operator's copy of the report. It names approvers and contains private figures: do not publish it.",
    copy_approvals: "Approval",
    copy_no_approval: "No person has approved this release.",
    copy_who: "Person",
    copy_when: "Time",
    copy_why: "Reason",
    copy_key: "Key",
    copy_missing: "Approvals that are still missing: {count}.",
    copy_waiting: "People who are not published",
    copy_waiting_rows: "Waiting for enough similar rows",
    copy_oldest: "Longest wait, in ticks",
    copy_verdict: "What the gate found",
    copy_no_reasons: "The gate found no reason against this release.",
    copy_signing_key: "Fingerprint of the key that signs manifests: {key}.",
    copy_signatures: "Signatures",
    copy_signature_place: "Name, date, signature",
    copy_digest: "Digest of the decision: {digest}.",
};

fn checks_of_lasting_labels(check: Check) -> Option<CheckWords> {
    match check {
        Check::Atoms => Some(words(
            "Classes of one release",
            "The smallest number of people who came with one release under the same labels.",
        )),
        Check::Correspondence => Some(words(
            "Comparison with the release before",
            "All earlier rows are there unchanged; the smallest number of new rows with the same labels.",
        )),
        Check::Chain => Some(words(
            "Comparison of all releases",
            "The smallest number of candidates after comparing all releases: rows that came with one release under the same labels.",
        )),
        Check::Refinement => Some(words(
            "Position within a label",
            "The largest factor by which a reader who knows the algorithm can change the odds of where in its label a person is.",
        )),
        _ => None,
    }
}

#[rustfmt::skip]
fn checks(check: Check) -> CheckWords {
    match check {
        Check::Crowd => words("Class size",
            "The smallest number of rows that share all their labels."),
        Check::Form => words("Bytes of the table",
            "The file holds its rows in their one canonical order and spelling, and nothing else."),
        Check::Growth => words("No person lost or duplicated",
            "The release holds exactly the people of the release before and the new people."),
        Check::Pages => words("Manifest, taxonomies and this page",
            "They state what follows from the table, the feed file and earlier releases, and nothing else."),
        Check::Utility => words("Information loss",
            "How much detail was given up; above the limit a release is not worth its risk."),
        Check::Atoms => words("Classes of one increment",
            "The smallest number of people who arrived together and stay together in every release."),
        Check::Correspondence => words("Comparison with earlier releases",
            "The smallest number of candidates after comparing this release with an earlier one."),
        Check::Chain => words("Comparison of all releases",
            "The smallest number of candidates after comparing all releases of the chain."),
        Check::DistinctL => words("Distinct values",
            "The smallest number of distinct sensitive values in a class."),
        Check::EntropyL => words("Evenness of values",
            "How evenly sensitive values are distributed in each class, as a number of equally frequent values."),
        Check::RecursiveC => words("No dominating value",
            "How often the most frequent sensitive value of a class occurs, compared with the rare ones."),
        Check::Alpha => words("Share of one value",
            "The largest share of one sensitive value in a class."),
        Check::Confidence => words("Share of guarded values",
            "The largest share of a guarded set of values in a class."),
        Check::T => words("Closeness",
            "The largest distance between the sensitive values of a class and those of the whole table."),
        Check::Minimality => words("Minimality attack",
            "The highest probability of a guarded value that an attacker can derive for a person from how the release was made."),
        Check::Refinement => words("Refinement attack",
            "What the rules of the algorithm reveal about the rows of a class."),
        Check::Certainty => words("Known small classes",
            "The number of classes smaller than allowed of which a reader can derive that they exist, and where."),
        Check::MaxGlobalRatio => words("Leakage from coarseness",
            "The factor by which the coarseness of labels reduces the possible tables."),
        Check::Maximality => words("Leakage from the final labels",
            "The same, from labels that could not be divided further; a lower bound."),
        Check::Dominance => words("Sums of measures",
            "Each published sum is that of its people's numbers, and none reveals the largest of them too closely, \
             alone or together with other releases."),
        Check::Algorithm => words("An attacker who knows the algorithm",
            "A release under bcf is not safe against this attacker: what it refused to publish can reveal sensitive values."),
        Check::Grouping => words("Conclusions from how groups were made",
            "What an attacker who knows how people were grouped can conclude beyond the labels is not computed."),
        Check::Diversity => words("Diversity",
            "Whether classes show enough distinct sensitive values."),
        Check::Policy => words("Settings without a check",
            "Settings of the policy that this version has no check for."),
    }
}

const TERMS: &[Term] = &[
    term(
        "Class",
        "Rows with equal labels. An attacker cannot distinguish the people of a class by these columns.",
    ),
    term(
        "Label",
        "What a row shows in a column: an exact value, or a name for several values.",
    ),
    term("k", "The smallest number of rows that a class may have."),
    term(
        "Loss",
        "Information loss, from 0 (every value exact) to 1 (no detail).",
    ),
    term(
        "Chain",
        "Releases that follow one another under one policy and one list of columns.",
    ),
    term(
        "Increment",
        "The records that arrived between two ticks of the schedule.",
    ),
    term(
        "Gate",
        "The part of the program that attacks a release before publication and alone can let it out.",
    ),
    term(
        "Guarded set",
        "Sensitive values that the policy protects more strictly.",
    ),
];
