//! The cases of `tests/golden/refinement`, each a test with its own name.

/// One test per case, which calls the given function with the name of its file.
macro_rules! known {
    ($check:ident) => {
        $crate::common::refinement_cases::known! { $check:
            dups_00 "dups_00"
            hard_00_h4 "hard_00_H4"
            medium_00_h2 "medium_00_H2"
            medium_03_m2 "medium_03_M2"
            medium_06_h3 "medium_06_H3"
            medium_09_m3 "medium_09_M3"
            medium_12_h3tie "medium_12_H3tie"
            small_00 "small_00"
            small_01 "small_01"
            small_02 "small_02"
            small_03 "small_03"
            small_04 "small_04"
            small_05 "small_05"
            small_06 "small_06"
            small_07 "small_07"
            small_08 "small_08"
            small_09 "small_09"
            small_10 "small_10"
            small_11 "small_11"
            tie_00_arbitrary_order_unsound "tie_00_arbitrary_order_unsound"
            tie_01_arbitrary_order_unsound "tie_01_arbitrary_order_unsound"
            tie_02_arbitrary_order_unsound "tie_02_arbitrary_order_unsound"
            tie_10_orders_differ "tie_10_orders_differ"
            tie_11_orders_differ "tie_11_orders_differ"
            tie_12_orders_differ "tie_12_orders_differ"
        }
    };
    ($check:ident: $($test:ident $file:literal)*) => {
        $(#[test]
        fn $test() {
            $check($file);
        })*
    };
}

pub(crate) use known;
