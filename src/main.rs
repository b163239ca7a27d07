//! The program: hands the command line to `cli` and its answer to the system. Must never hold anything else.

fn main() -> std::process::ExitCode {
    tidegate::cli::main(std::env::args_os())
}
