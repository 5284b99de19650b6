/** Server-sent events of a response: read as they come, as {event, data}. */

/** The events of a stream of bytes; `data` is read as JSON. */
export async function* eventsOf(stream) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of chunksOf(stream)) {
    rest += decoder.decode(bytes, { stream: true });
    const parts = rest.split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      const event = eventIn(part);
      if (event) yield event;
    }
  }
}

/** The event in a block of lines; null for comments, which only keep the connection open. */
export function eventIn(block) {
  let event = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  return data.length === 0 ? null : { event, data: JSON.parse(data.join("\n")) };
}

/** Not every browser's stream can be walked by itself. */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
