//! Certificates for as long as a test runs, made by OpenSSL.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::needs;

/// Runs OpenSSL in a folder; `false` if it is not installed.
fn openssl(folder: &Path, args: &[&str]) -> bool {
    match Command::new("openssl")
        .args(args)
        .current_dir(folder)
        .output()
    {
        Ok(done) => {
            assert!(
                done.status.success(),
                "{args:?}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
            true
        }
        Err(_) => false,
    }
}

/// Whether certificates can be made; prints a message if not.
pub fn can() -> bool {
    needs::program("openssl", openssl(Path::new("."), &["version"]))
}

/// Makes an authority: `<name>.pem` and `<name>.key`.
pub fn authority(folder: &Path, name: &str) {
    make(folder, name, &[]);
}

/// Makes a certificate signed by an authority, for a server of this name and address: `<name>.pem`,
/// `<name>.key`, and both in `<name>.both`.
pub fn certificate(folder: &Path, authority: &str, name: &str, listens: &str) {
    let [pem, key] = ["pem", "key"].map(|end| format!("{authority}.{end}"));
    let listens = format!("subjectAltName=IP:{listens}");
    make(
        folder,
        name,
        &[
            "-CA",
            &pem,
            "-CAkey",
            &key,
            "-addext",
            &listens,
            "-addext",
            "basicConstraints=CA:FALSE",
        ],
    );
    let [pem, key] = ["pem", "key"]
        .map(|end| fs::read_to_string(folder.join(format!("{name}.{end}"))).expect("made"));
    fs::write(folder.join(format!("{name}.both")), key + &pem).expect("a file");
}

fn make(folder: &Path, name: &str, more: &[&str]) {
    let (subject, pem, key) = (
        format!("/CN={name}"),
        format!("{name}.pem"),
        format!("{name}.key"),
    );
    let args = [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ];
    openssl(
        folder,
        &[
            &args[..],
            &["-subj", &subject, "-out", &pem, "-keyout", &key],
            more,
        ]
        .concat(),
    );
}
