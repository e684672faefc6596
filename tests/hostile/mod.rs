//! Input and folders that mean harm or are broken: a right answer or a clear error with the exit code of the table,
//! never a panic, a hang or a byte from elsewhere.

mod input; // logs, packs, patterns and model files
#[cfg(target_os = "linux")]
mod traps; // links, devices, FIFOs, sockets and files without end at every name that is read, under every verb
