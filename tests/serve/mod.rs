//! The service: agents that speak to a process.

mod mcp;
