import type { ServerResponse } from 'node:http';

/** Most buffered bytes for a page that does not read: a page this far behind is closed, and resumes by its last id. */
const bufferBytesMax = 256 * 1_024;

export interface StreamedEvent {
  readonly event: string;
  readonly data: unknown;
  /** Sent by the page as `Last-Event-ID` when it reconnects. */
  readonly id?: number;
}

/** Server-sent events over one response. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string | number | readonly string[]>>) {
    this.#response = response;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Stops proxies from buffering.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }

  /** @returns false when the page is gone or too far behind; the stream is then closed */
  send({ event, data, id }: StreamedEvent): boolean {
    const lines = [...(id === undefined ? [] : [`id: ${id}`]), `event: ${event}`, `data: ${JSON.stringify(data)}`];
    return this.#write(`${lines.join('\n')}\n\n`);
  }

  /** Sends a comment that keeps the connection open. */
  beat(): boolean {
    return this.#write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }

  /** Calls back once when the page disconnects; immediately if it already has. */
  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  /** Calls periodically while the page is connected. */
  every(ms: number, call: () => void): void {
    const timer = setInterval(call, ms);
    this.onClose(() => clearInterval(timer));
  }

  #write(text: string): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    if (this.#response.writableLength > bufferBytesMax) {
      this.#response.destroy();
      return false;
    }
    this.#response.write(text);
    return true;
  }
}
