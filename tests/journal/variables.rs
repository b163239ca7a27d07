//! Variables of the environment that would weaken the connection to a bucket reach no client
//! (operations, section 13).

use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::ssl::{SslAcceptor, SslMethod};
use openssl::x509::extension::SubjectAlternativeName;
use openssl::x509::{X509, X509NameBuilder};
use tidegate::daemon::journal::store::{Bucket, BucketTimeouts, Variables};

/// A server whose certificate no authority has signed.
fn acceptor() -> SslAcceptor {
    let key = PKey::from_rsa(Rsa::generate(2048).expect("a key")).expect("a key");
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_text("CN", "nobody").expect("a name");
    let name = name.build();
    let mut certificate = X509::builder().expect("a certificate");
    certificate.set_version(2).expect("a version");
    let serial = BigNum::from_u32(1)
        .and_then(|number| number.to_asn1_integer())
        .expect("a number");
    certificate.set_serial_number(&serial).expect("a number");
    certificate.set_subject_name(&name).expect("a name");
    certificate.set_issuer_name(&name).expect("a name");
    certificate.set_pubkey(&key).expect("a key");
    certificate
        .set_not_before(&Asn1Time::days_from_now(0).expect("a time"))
        .expect("a time");
    certificate
        .set_not_after(&Asn1Time::days_from_now(2).expect("a time"))
        .expect("a time");
    let mut listens = SubjectAlternativeName::new();
    listens.ip("127.0.0.1");
    let listens = listens
        .build(&certificate.x509v3_context(None, None))
        .expect("an address");
    certificate.append_extension(listens).expect("an address");
    certificate
        .sign(&key, MessageDigest::sha256())
        .expect("a signature");
    let mut acceptor =
        SslAcceptor::mozilla_intermediate(SslMethod::tls_server()).expect("a server");
    acceptor.set_private_key(&key).expect("a key");
    acceptor
        .set_certificate(&certificate.build())
        .expect("a certificate");
    acceptor.build()
}

/// Accepts connections for as long as the process lives; returns whether a request has come through
/// one.
fn serve() -> (SocketAddr, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (address, heard) = (
        listener.local_addr().expect("an address"),
        Arc::new(AtomicBool::new(false)),
    );
    let (acceptor, told) = (acceptor(), Arc::clone(&heard));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let accepted = acceptor.accept(stream.expect("a connection"));
            if let Ok(mut stream) = accepted
                && stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0)
            {
                told.store(true, Ordering::SeqCst);
            }
        }
    });
    (address, heard)
}

#[test]
fn no_variable_switches_the_check_of_certificates_off() {
    let (address, heard) = serve();
    let short = Duration::from_millis(100);
    let patience = BucketTimeouts {
        connect: short * 50,
        answer: short * 50,
        pause: short / 10,
        give_up: short,
    };
    for name in [
        "AWS_ALLOW_INVALID_CERTIFICATES",
        "TIDEGATE_PRIVATE_AWS_ALLOW_INVALID_CERTIFICATES",
    ] {
        let all = [
            ("AWS_ACCESS_KEY_ID", "somebody".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "planted-secret".to_owned()),
            ("AWS_ENDPOINT_URL", format!("https://{address}")),
            ("AWS_REGION", "us-east-1".to_owned()),
            (name, "true".to_owned()),
        ];
        let variables = Variables::new(true, all.map(|(name, value)| (name.to_owned(), value)));
        let error = Bucket::open_with("s3://bucket/a", &variables, patience)
            .map(|_| ())
            .expect_err("no certificate");
        assert!(!error.to_string().contains("planted-secret"), "{error}");
        assert!(
            !heard.load(Ordering::SeqCst),
            "{name}: a request was sent to a server that nobody vouches for"
        );
    }
}
