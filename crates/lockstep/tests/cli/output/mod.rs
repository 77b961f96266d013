//! What is printed: formats and their schemas, the report as a page, opened in a browser where there is one.

mod browser;
mod formats;
mod html;
mod report;
pub(crate) mod schema;
