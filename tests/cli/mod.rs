//! The command as a process.

mod bench; // the encoder measured, and told how to run
mod bench_files; // sets and rankings that others made, digests, what cannot be written
mod bench_reports; // legends, gates, tests and their correction, calibrations, sets made of an index
mod bench_run; // sets measured, results compared, a loss refused
mod canon; // list, show, search, check, add; own packs and trusted ones
mod check; // plans and validations of Terraform, answers that fit their message
mod config; // settings and their origins, completions, purge, help
mod feedback; // answers that worked or were wrong
mod hostile_output; // what strangers write, through every verb: nothing of it moves, hides or forges a line
mod init; // agents set up: files changed, given back, left alone
mod input; // files, packed logs and archives of them
mod limits; // what the system refuses: threads, memory, size of files, standard output
mod lookup; // answers, exit codes, JSON, logs
mod model; // list, use, import, verify, rm without a network
mod model_bundle; // a model carried to another machine as one file
mod notes; // what could not be used is said once by every verb
mod run; // output and exit code pass through
mod schemas; // what is printed as JSON against the schemas in index/
mod search; // lines as they stand, types, what is left out, what is here, the editor
