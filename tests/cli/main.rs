//! Commands that run once and end, as an operator starts them.

#[path = "../common/mod.rs"]
mod common;

mod anonymize;
mod attack;
mod audit;
mod audit_minimality;
mod check;
mod commands;
mod demo;
mod init;
mod pages;
