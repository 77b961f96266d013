//! Messages of the protocol on the way in and out.

use std::io::{self, BufRead, ErrorKind, Write};

use gen_lsp_types::{Notification, Request};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What came in.
pub(super) enum Incoming {
    Message(Message),
    /// Something that is no message: what is wrong with it.
    Malformed(String),
    /// The client is gone.
    Closed,
}

/// Reads messages until the input ends. What cannot be understood is skipped: the next message has a length of its own.
pub(super) fn read(mut input: impl BufRead, mut take: impl FnMut(Incoming) -> bool) {
    loop {
        let incoming = match Message::read(&mut input) {
            Ok(Some(message)) => Incoming::Message(message),
            Ok(None) => break,
            Err(e) if e.kind() == ErrorKind::InvalidData => Incoming::Malformed(e.to_string()),
            Err(_) => break,
        };
        if !take(incoming) {
            return;
        }
    }
    take(Incoming::Closed);
}

/// Where answers go. A client that has gone away is noticed at the input.
pub(super) struct Out<W>(pub(super) W);

impl<W: Write> Out<W> {
    pub(super) fn notify<N: Notification>(&mut self, params: &N::Params) {
        let notification =
            lsp_server::Notification { method: notification::<N>(), params: to_value(params) };
        self.send(notification.into());
    }

    /// A request whose answer changes nothing.
    pub(super) fn ask<R: Request>(&mut self, id: String, params: &R::Params) {
        let method = request::<R>();
        self.send(lsp_server::Request { id: id.into(), method, params: to_value(params) }.into());
    }

    pub(super) fn answer(&mut self, id: RequestId, result: &impl Serialize) {
        self.send(Response { id, response_result: Ok(to_value(result)) }.into());
    }

    pub(super) fn refuse(&mut self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Response::new_err(id, code as i32, message).into());
    }

    /// Answers what has no number, because it could not be read.
    pub(super) fn refuse_unread(&mut self, message: &str) {
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
pub(super) fn notification<N: Notification>() -> String {
    N::METHOD.to_string()
}

pub(super) fn request<R: Request>() -> String {
    R::METHOD.to_string()
}

/// Parameters as the method wants them, or what is wrong with them.
pub(super) fn params<P: DeserializeOwned>(method: &str, value: Value) -> Result<P, String> {
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
                Incoming::Closed => "closed".into(),
            });
            true
        });
        assert_eq!(seen.last().map(String::as_str), Some("closed"));
        assert_eq!(seen.iter().filter(|s| *s == "initialized").count(), 1, "{seen:?}");
        assert!(seen.iter().filter(|s| *s == "malformed").count() >= 3, "{seen:?}");
    }
}
