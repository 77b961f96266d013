//! Messages of the protocol on the way in and out.

use std::io::{self, BufRead, Read, Write};

use gen_lsp_types::{Notification, Request};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What came in.
pub(crate) enum Incoming {
    Message(Message),
    /// Something that is no message: what is wrong with it.
    Malformed(String),
    /// The same, and where the next message begins is not known.
    Hopeless(String),
    /// The client is gone.
    Closed,
}

/// The longest message that is read. Editors send the whole text of a file in one.
const LONGEST: u64 = 256 << 20;

/// The longest line of a header.
const LONGEST_LINE: u64 = 64 << 10;

/// Reads messages until the input ends. What cannot be understood is skipped: the next message has a length of its own.
pub(crate) fn read(mut input: impl BufRead, mut take: impl FnMut(Incoming) -> bool) {
    while let Ok(Some(incoming)) = next(&mut input) {
        let is_last = matches!(incoming, Incoming::Hopeless(_));
        if !take(incoming) {
            return;
        }
        if is_last {
            break;
        }
    }
    take(Incoming::Closed);
}

/// What comes next; nothing at the end of the input. Memory is taken for what has come, not for what was announced.
fn next(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            let why = match line.len() as u64 {
                LONGEST_LINE => "a line of a header is too long",
                _ => return Ok(None),
            };
            return Ok(Some(Incoming::Hopeless(why.into())));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Ok(Some(Incoming::Malformed(format!("'{line}' is no header"))));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            length = match value.parse() {
                Ok(length) => Some(length),
                Err(_) if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                    Some(u64::MAX)
                }
                Err(_) => {
                    let why = format!("Content-Length: '{value}' is no number");
                    return Ok(Some(Incoming::Malformed(why)));
                }
            };
        }
    }
    let Some(length) = length else {
        return Ok(Some(Incoming::Malformed("a message without Content-Length".into())));
    };
    if length > LONGEST {
        let why = format!("a message is longer than {} MiB: not read", LONGEST >> 20);
        return Ok(Some(Incoming::Hopeless(why)));
    }
    let mut text = Vec::new();
    if (input.take(length).read_to_end(&mut text)? as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&text) {
        Ok(message) => Incoming::Message(message),
        Err(e) => Incoming::Malformed(format!("not a message: {e}")),
    }))
}

/// Where answers go. A client that has gone away is noticed at the input.
pub(crate) struct Out<W>(pub(crate) W);

impl<W: Write> Out<W> {
    pub(crate) fn notify<N: Notification>(&mut self, params: &N::Params) {
        let notification =
            lsp_server::Notification { method: notification::<N>(), params: to_value(params) };
        self.send(notification.into());
    }

    /// A request whose answer changes nothing.
    pub(crate) fn ask<R: Request>(&mut self, id: String, params: &R::Params) {
        let method = request::<R>();
        self.send(lsp_server::Request { id: id.into(), method, params: to_value(params) }.into());
    }

    pub(crate) fn answer(&mut self, id: RequestId, result: &impl Serialize) {
        self.send(Response { id, response_result: Ok(to_value(result)) }.into());
    }

    pub(crate) fn refuse(&mut self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Response::new_err(id, code as i32, message).into());
    }

    /// Answers what has no number, because it could not be read.
    pub(crate) fn refuse_unread(&mut self, message: &str) {
        let error = serde_json::json!({
            "jsonrpc": "2.0",
            "id": null,
            "error": { "code": ErrorCode::ParseError as i32, "message": message },
        })
        .to_string();
        let _ = write!(self.0, "Content-Length: {}\r\n\r\n{error}", error.len());
        let _ = self.0.flush();
    }

    fn send(&mut self, message: Message) {
        let _: io::Result<()> = message.write(&mut self.0);
    }
}

fn to_value(params: &impl Serialize) -> Value {
    serde_json::to_value(params).unwrap_or(Value::Null)
}

/// The name of a method on the wire.
pub(crate) fn notification<N: Notification>() -> String {
    N::METHOD.to_string()
}

pub(crate) fn request<R: Request>() -> String {
    R::METHOD.to_string()
}

/// Parameters as the method wants them, or what is wrong with them.
pub(crate) fn params<P: DeserializeOwned>(method: &str, value: Value) -> Result<P, String> {
    serde_json::from_value(value).map_err(|e| format!("{method}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_skipped() {
        let frame = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let good = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
        let text = [
            frame("{"),
            frame(r#"{"jsonrpc":"2.0"}"#),
            "nonsense\r\n".into(),
            "Content-Length: x\r\n".into(),
            frame(good),
        ]
        .concat();
        let mut seen = Vec::new();
        read(text.as_bytes(), |incoming| {
            seen.push(match incoming {
                Incoming::Message(Message::Notification(n)) => n.method,
                Incoming::Message(_) => "?".into(),
                Incoming::Malformed(_) => "malformed".into(),
                Incoming::Hopeless(_) => "hopeless".into(),
                Incoming::Closed => "closed".into(),
            });
            true
        });
        assert_eq!(seen.last().map(String::as_str), Some("closed"));
        assert_eq!(seen.iter().filter(|s| *s == "initialized").count(), 1, "{seen:?}");
        assert!(seen.iter().filter(|s| *s == "malformed").count() >= 3, "{seen:?}");
    }

    #[test]
    fn absurd_lengths_end_the_reading() {
        let endless = "x".repeat(LONGEST_LINE as usize + 1);
        let headers = [
            "Content-Length: 99999999999999\r\n\r\n{}",
            "Content-Length: 18446744073709551615\r\n\r\n",
            "Content-Length: 340282366920938463463374607431768211456\r\n\r\n",
            &endless,
        ];
        for header in headers {
            let mut seen = Vec::new();
            read(header.as_bytes(), |incoming| {
                seen.push(match incoming {
                    Incoming::Hopeless(_) => "hopeless",
                    Incoming::Closed => "closed",
                    _ => "?",
                });
                true
            });
            assert_eq!(seen, ["hopeless", "closed"], "{header:.60}");
        }
        // A message that ends before its length is the end of the input.
        let cut = format!("Content-Length: {LONGEST}\r\n\r\n{{}}");
        assert!(matches!(next(&mut cut.as_bytes()), Ok(None)));
    }
}
