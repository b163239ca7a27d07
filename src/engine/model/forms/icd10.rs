//! `builtin = "icd10"` (CONTRACTS 2): the chapters and blocks of the WHO's ICD-10 (version 2019;
//! arboviral fevers from A90 on, as in earlier versions). Where the WHO nests blocks, the finest
//! ones are used. National modifications with letters in the third place are not included.

use super::form_result::FormError;

use crate::{CodeShape, Domain, LeafRule, Tree};

/// Every chapter with its blocks, in the order of the classification.
const CHAPTERS: [(&str, &str); 22] = [
    (
        "A00-B99",
        "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B15-B19 B20-B24 \
         B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99",
    ),
    (
        "C00-D48",
        "C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 \
         C81-C96 C97-C97 D00-D09 D10-D36 D37-D48",
    ),
    ("D50-D89", "D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D89"),
    (
        "E00-E90",
        "E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90",
    ),
    (
        "F00-F99",
        "F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99",
    ),
    (
        "G00-G99",
        "G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99",
    ),
    (
        "H00-H59",
        "H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59",
    ),
    ("H60-H95", "H60-H62 H65-H75 H80-H83 H90-H95"),
    (
        "I00-I99",
        "I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99",
    ),
    (
        "J00-J99",
        "J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99",
    ),
    (
        "K00-K93",
        "K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93",
    ),
    (
        "L00-L99",
        "L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99",
    ),
    (
        "M00-M99",
        "M00-M03 M05-M14 M15-M19 M20-M25 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85 M86-M90 \
         M91-M94 M95-M99",
    ),
    (
        "N00-N99",
        "N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99-N99",
    ),
    (
        "O00-O99",
        "O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99",
    ),
    (
        "P00-P96",
        "P00-P04 P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96",
    ),
    (
        "Q00-Q99",
        "Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99",
    ),
    (
        "R00-R99",
        "R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99",
    ),
    (
        "S00-T98",
        "S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 \
         T20-T25 T26-T28 T29-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98",
    ),
    (
        "V01-Y98",
        "V01-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97 V98-V99 W00-W19 \
         W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39 X40-X49 X50-X57 X58-X59 X60-X84 \
         X85-Y09 Y10-Y34 Y35-Y36 Y40-Y59 Y60-Y69 Y70-Y82 Y83-Y84 Y85-Y89 Y90-Y98",
    ),
    (
        "Z00-Z99",
        "Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99",
    ),
    ("U00-U85", "U00-U49 U82-U85"),
];

/// Categories under blocks under chapters.
pub(super) fn domain() -> Result<Domain, FormError> {
    let mut tree = Tree::new("*");
    for (chapter, blocks) in CHAPTERS {
        let above = tree.add(0, chapter, 1);
        for block in blocks.split_ascii_whitespace() {
            let node = tree.add(above, block, 1);
            let (first, last) = ends(block);
            for category in first..=last {
                tree.add(
                    node,
                    &format!(
                        "{}{:02}",
                        char::from((category / 100) as u8),
                        category % 100
                    ),
                    1,
                );
            }
        }
    }
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("builtin", &error))?;
    Ok(Domain {
        tree,
        rule: LeafRule::Cut {
            code: CodeShape::Icd10,
            instead: Vec::new(),
        },
    })
}

/// The first and last category of `A00-B99`, as letter × 100 + number.
fn ends(range: &str) -> (u32, u32) {
    let category = |text: &str| {
        let (letter, number) = text.split_at(1);
        u32::from(letter.as_bytes()[0]) * 100
            + number
                .parse::<u32>()
                .expect("the table holds two digits after the letter")
    };
    let (first, last) = range.split_once('-').expect("the table holds ranges");
    (category(first), category(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_ascend_and_are_inside_their_chapter() {
        let mut chapters: Vec<(u32, u32)> = Vec::new();
        for (chapter, blocks) in CHAPTERS {
            let (first, last) = ends(chapter);
            assert!(first < last, "{chapter}");
            let ranges: Vec<(u32, u32)> = blocks.split_ascii_whitespace().map(ends).collect();
            assert_eq!(ranges[0].0, first, "{chapter} starts with its first block");
            assert_eq!(
                ranges[ranges.len() - 1].1,
                last,
                "{chapter} ends with its last block"
            );
            assert!(ranges.iter().all(|(from, to)| from <= to), "{chapter}");
            assert!(
                ranges.windows(2).all(|pair| pair[0].1 < pair[1].0),
                "{chapter}"
            );
            chapters.push((first, last));
        }
        // Chapter XXII (U) stands last in the classification; all others ascend.
        assert!(chapters[..21].windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(
            chapters[..21]
                .iter()
                .all(|&(first, last)| last < ends("U00-U85").0 || first > ends("U00-U85").1)
        );
    }

    #[test]
    fn categories_are_where_the_classification_has_them() {
        let domain = domain().expect("the table makes a tree");
        let tree = &domain.tree;
        for (category, block, chapter) in [
            ("A00", "A00-A09", "A00-B99"),
            ("B20", "B20-B24", "A00-B99"),
            ("C50", "C50-C50", "C00-D48"),
            ("D50", "D50-D53", "D50-D89"),
            ("E11", "E10-E14", "E00-E90"),
            ("F32", "F30-F39", "F00-F99"),
            ("H60", "H60-H62", "H60-H95"),
            ("I21", "I20-I25", "I00-I99"),
            ("O80", "O80-O84", "O00-O99"),
            ("T98", "T90-T98", "S00-T98"),
            ("Y09", "X85-Y09", "V01-Y98"),
            ("Z99", "Z80-Z99", "Z00-Z99"),
            ("U07", "U00-U49", "U00-U85"),
        ] {
            let leaf = tree.find(category).expect(category);
            assert!(tree.is_leaf(leaf), "{category}");
            let above = tree.parent(leaf).expect(category);
            assert_eq!(tree.label(above), block);
            assert_eq!(
                tree.parent(above).map(|node| tree.label(node)),
                Some(chapter)
            );
        }
        for outside in [
            "A10", "B98X", "C7A", "D49", "E91", "T99", "V00", "Y99", "U50", "a00",
        ] {
            assert_eq!(tree.find(outside), None, "{outside}");
        }
    }
}
