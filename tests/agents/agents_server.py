"""A model provider on this machine: speaks each provider's protocol, and fails in every way they do, as scripted."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model says in one turn."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()  # tools and their arguments; a text is sent as it is
    stop: str = "end"  # end, length, filter
    output: float = 0.1  # of the tokens it was allowed
    usage: bool = True  # whether it says what was used


# A reply, or what goes wrong: the status of an error ("429+7" asks to come back after 7 seconds), "cut" (half a body),
# "truncated" (half a document), "reset" (a closed connection), "silence", "html", "quota" (an account without money).
Step = Reply | str | int


@dataclass
class Server:
    """What the provider was asked, and what it takes money for."""

    script: list[Step]
    address: str = ""
    requests: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)  # bytes of each request
    limits: list[int] = field(default_factory=list)  # the output tokens each request allowed
    closing: threading.Event = field(default_factory=threading.Event)

    def next_step(self) -> Step:
        return self.script.pop(0) if self.script else Reply("There is nothing more to say.")


@contextmanager
def serve(script: Sequence[Step]) -> Iterator[Server]:
    """A provider that follows a script, one step a request."""
    state = Server(list(script))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = json.loads(body)
            state.requests.append(request)
            state.headers.append({key.lower(): value for key, value in self.headers.items()})
            wire = next(wire for mark, wire in WIRES.items() if mark in self.path)
            limit = wire.limit(request)
            state.limits.append(limit)
            state.lengths.append(len(body))
            step = state.next_step()
            if isinstance(step, Reply):
                self._send(200, json.dumps(wire.reply(step, len(body) // 4, max(1, int(limit * step.output)))))
            elif step == "silence":
                state.closing.wait(60)
                self.close_connection = True
            elif step == "reset":
                self.close_connection = True
            elif step in ("cut", "truncated"):
                text = json.dumps(wire.reply(Reply("half of this is lost" * 20), 100, 100))
                self._send(200, text[: len(text) // 2], len(text) if step == "cut" else None)
                self.close_connection = True
            elif step == "quota":
                why = {"message": "You exceeded your current quota.", "type": "insufficient_quota"}
                self._send(429, json.dumps({"error": {**why, "code": "insufficient_quota", "param": None}}))
            elif step == "html":
                self._send(200, "<html>Welcome to the hotel network</html>")
            else:
                status, _, after = str(step).partition("+")
                self._send(int(status), json.dumps(wire.error(int(status))), after=after)

        def _send(self, status: int, text: str, length: int | None = None, after: str = "") -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/html")
            self.send_header("Content-Length", str(len(data) if length is None else length))
            if after:
                self.send_header("Retry-After", after)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


class Anthropic:
    """POST /v1/messages"""

    def limit(self, request: Json) -> int:
        return request["max_tokens"]

    def reply(self, reply: Reply, read: int, written: int) -> Json:
        content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
        content += [
            {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}
            for n, (name, arguments) in enumerate(reply.calls)
        ]
        stop = {"length": "max_tokens", "filter": "refusal"}.get(reply.stop, "tool_use" if reply.calls else "end_turn")
        usage = {
            "input_tokens": read // 2,
            "cache_creation_input_tokens": read // 4,
            "cache_read_input_tokens": read // 4,
            "output_tokens": written,
        }
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5-5",
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage if reply.usage else {"input_tokens": 0, "output_tokens": 0},
        }

    def error(self, status: int) -> Json:
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": f"it is a {status}"}}


class Chat:
    """POST /chat/completions"""

    def limit(self, request: Json) -> int:
        return request.get("max_completion_tokens") or request["max_tokens"]

    def reply(self, reply: Reply, read: int, written: int) -> Json:
        calls = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
            for n, (name, arguments) in enumerate(reply.calls)
        ]
        stop = {"length": "length", "filter": "content_filter"}.get(reply.stop, "tool_calls" if calls else "stop")
        message: Json = {"role": "assistant", "content": reply.text or None}
        if calls:
            message["tool_calls"] = calls
        table: Json = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": "gpt-5.2",
            "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
        }
        if reply.usage:
            table["usage"] = {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
                "prompt_tokens_details": {"cached_tokens": read // 2},
            }
        return table

    def error(self, status: int) -> Json:
        return {"error": {"message": f"it is a {status}", "type": "server_error", "param": None, "code": None}}


class Responses(Chat):
    """POST /responses"""

    def limit(self, request: Json) -> int:
        return request["max_output_tokens"]

    def reply(self, reply: Reply, read: int, written: int) -> Json:
        output: list[Json] = []
        if reply.text:
            content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
            output.append(
                {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
            )
        output += [
            {
                "type": "function_call",
                "id": f"fc_{n}",
                "call_id": f"call_{n}",
                "name": name,
                "arguments": _text(arguments),
                "status": "completed",
            }
            for n, (name, arguments) in enumerate(reply.calls)
        ]
        reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(reply.stop)
        usage = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": read // 2},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        }
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_760_000_000,
            "model": "gpt-5.2",
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "error": None,
            "instructions": None,
            "metadata": {},
            "output": output,
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": usage if reply.usage else None,
        }


class Gemini:
    """POST /v1beta/models/MODEL:generateContent"""

    def limit(self, request: Json) -> int:
        return request["generationConfig"]["maxOutputTokens"]

    def reply(self, reply: Reply, read: int, written: int) -> Json:
        parts: list[Json] = [{"text": reply.text}] if reply.text else []
        parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in reply.calls]
        stop = {"length": "MAX_TOKENS", "filter": "SAFETY"}.get(reply.stop, "STOP")
        table: Json = {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": stop, "index": 0}],
            "modelVersion": "gemini-2.5-flash",
            "responseId": "r1",
        }
        if reply.usage:
            table["usageMetadata"] = {
                "promptTokenCount": read,
                "cachedContentTokenCount": read // 2,
                "candidatesTokenCount": written - written // 3,
                "thoughtsTokenCount": written // 3,
                "totalTokenCount": read + written,
            }
        return table

    def error(self, status: int) -> Json:
        return {"error": {"code": status, "message": f"it is a {status}", "status": "UNAVAILABLE"}}


WIRES = {
    "/v1/messages": Anthropic(),
    "/chat/completions": Chat(),
    "/responses": Responses(),
    ":generateContent": Gemini(),
}
