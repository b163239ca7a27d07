//! The program: passes the command line to `cli` and its exit code to the system. Must never
//! contain anything else.

fn main() -> std::process::ExitCode {
    tidegate::cli::main(std::env::args_os())
}
