//! A test that cannot run because a tool is missing says so, and fails if `CI` is set.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::needs::{Machine, VARIABLES};

fn machine(is_ci: bool) -> Machine {
    Machine {
        is_ci,
        without: "helm docker chromium".to_owned(),
    }
}

/// The tool that a variable of this value names; the message if the test fails.
fn named(is_ci: bool, variable: &str, value: Option<&str>) -> Result<Option<OsString>, String> {
    let named = catch_unwind(AssertUnwindSafe(|| {
        machine(is_ci).named(variable, value.map(OsString::from))
    }));
    named.map_err(|panic| panic.downcast_ref::<String>().expect("a message").clone())
}

#[test]
fn a_variable_that_is_not_set_fails_a_check_and_skips_elsewhere() {
    for (variable, remedy) in VARIABLES {
        for is_ci in [false, true] {
            assert_eq!(named(is_ci, variable, Some("/a")), Ok(Some("/a".into())));
        }
        for nothing in [None, Some("")] {
            assert_eq!(named(false, variable, nothing), Ok(None));
            let said = named(true, variable, nothing).expect_err("it fails");
            assert!(said.contains(variable) && said.contains(remedy), "{said}");
        }
    }
}

#[test]
fn only_data_may_be_declared_absent_by_none() {
    for is_ci in [false, true] {
        assert_eq!(named(is_ci, "TIDEGATE_DATA", Some("none")), Ok(None));
        assert_eq!(
            named(is_ci, "TIDEGATE_PYTHON", Some("none")),
            Ok(Some("none".into()))
        );
    }
}

#[test]
fn a_program_that_is_lacking_fails_a_check_unless_it_is_named() {
    let program =
        |is_ci, name, is_there| catch_unwind(|| machine(is_ci).program(name, is_there)).ok();
    assert_eq!(program(true, "cc", true), Some(true));
    assert_eq!(program(false, "cc", false), Some(false));
    assert_eq!(program(true, "cc", false), None);
    assert_eq!(program(true, "helm", false), Some(false));
    assert_eq!(program(true, "docker", true), Some(true));
    // The browser is always required: naming it among the missing tools does not help.
    assert_eq!(
        (
            program(true, "chromium", false),
            program(false, "chromium", false)
        ),
        (None, Some(false))
    );
}
