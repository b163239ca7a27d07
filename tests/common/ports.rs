//! Ports that a test reserves, for a server that is another process and may be started several
//! times.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports of a block; the first one shows all other test programs that the block is taken.
const BLOCK: u16 = 8;
/// The blocks begin here and end before the ports that the system gives to connections.
const FROM: u16 = 12_000;
const BLOCKS: u16 = 2_400;

/// Ports next to each other, for as long as this lives.
pub struct Ports {
    taken: TcpListener,
}

impl Ports {
    /// Takes this many that no other test has.
    ///
    /// A port that was merely found free could be found by two test programs before either server
    /// listens on it.
    pub fn take(count: u16) -> Ports {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let begin = (std::process::id() % u32::from(BLOCKS)) as u16;
        let mut blocks =
            (0..BLOCKS).map(|_| (begin + NEXT.fetch_add(1, Ordering::Relaxed) % BLOCKS) % BLOCKS);
        blocks
            .find_map(|block| Ports::of_block(FROM + block * BLOCK, count))
            .expect("a block of ports is free")
    }

    /// Takes this many of the block that begins there; None if it is taken, or if a server listens
    /// on one of them.
    pub fn of_block(block: u16, count: u16) -> Option<Ports> {
        assert!(
            count < BLOCK,
            "a block has {} ports beside the one that takes it",
            BLOCK - 1
        );
        let ports = Ports {
            taken: bound(block)?,
        };
        (0..count)
            .all(|port| bound(ports.first() + port).is_some())
            .then_some(ports)
    }

    /// The first of them.
    pub fn first(&self) -> u16 {
        self.taken.local_addr().expect("it is bound").port() + 1
    }
}

fn bound(port: u16) -> Option<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).ok()
}
