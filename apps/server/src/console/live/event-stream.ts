import type { ServerResponse } from 'node:http';

/** What waits for a page that does not read: a page that is so far behind comes back by its last id. */
const bufferBytesMax = 256 * 1_024;

export interface StreamedEvent {
  readonly event: string;
  readonly data: unknown;
  /** What the page gives back as `Last-Event-ID` when it comes again. */
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
      // For proxies that would wait for more.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }

  /** @returns false when the page is gone or too far behind; it was closed then */
  send({ event, data, id }: StreamedEvent): boolean {
    const lines = [...(id === undefined ? [] : [`id: ${id}`]), `event: ${event}`, `data: ${JSON.stringify(data)}`];
    return this.#write(`${lines.join('\n')}\n\n`);
  }

  /** Says nothing, and keeps the connection. */
  beat(): boolean {
    return this.#write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }

  /** Calls back once: when the page goes, or at once when it had gone before the stream began. */
  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  /** Calls again and again, as long as the page is there. */
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
