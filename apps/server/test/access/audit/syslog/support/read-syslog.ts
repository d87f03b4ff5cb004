/** A strict reader of RFC 5424 messages and of RFC 5425 frames, written from the RFCs and from nothing else. */

export interface ReadMessage {
  readonly facility: number;
  readonly severity: number;
  readonly timestamp: string;
  readonly hostName: string;
  readonly application: string;
  readonly processId: string;
  readonly messageId: string;
  /** `undefined` for NILVALUE. */
  readonly data: { readonly id: string; readonly members: ReadonlyMap<string, string> } | undefined;
  /** Without its byte order mark. */
  readonly text: string;
  readonly hasMark: boolean;
}

const header =
  /^<(?<priority>0|[1-9]\d{0,2})>1 (?<timestamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) (?<host>[!-~]{1,255}) (?<app>[!-~]{1,48}) (?<process>[!-~]{1,128}) (?<message>[!-~]{1,32}) /;

/** @throws if the bytes are no message of RFC 5424, section 6 */
export function readMessage(bytes: Uint8Array): ReadMessage {
  // Fatal: an octet that is not UTF-8 is refused. The mark is kept.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const found = header.exec(text);
  if (found === null) throw new Error(`no header: ${text.slice(0, 200)}`);
  const priority = Number(found.groups!['priority']);
  if (priority > 191) throw new Error(`PRIVAL ${priority} is above 191`);
  let rest = text.slice(found[0].length);
  let data: ReadMessage['data'];
  if (rest.startsWith('-')) rest = rest.slice(1);
  else [data, rest] = readData(rest);
  if (rest !== '' && !rest.startsWith(' ')) throw new Error('no blank before MSG');
  const message = rest.slice(1);
  const hasMark = message.startsWith('\uFEFF');
  const { timestamp, host, app, process, message: id } = found.groups!;
  return {
    facility: priority >> 3,
    severity: priority & 7,
    timestamp: timestamp!,
    hostName: host!,
    application: app!,
    processId: process!,
    messageId: id!,
    data,
    text: hasMark ? message.slice(1) : message,
    hasMark,
  };
}

/** One SD-ELEMENT, character by character. */
function readData(text: string): [NonNullable<ReadMessage['data']>, string] {
  const start = /^\[(?<id>[!#-<>-\\^-~]{1,32})/.exec(text);
  if (start === null) throw new Error('no SD-ID');
  const members = new Map<string, string>();
  let at = start[0].length;
  while (text[at] === ' ') {
    const name = /^ (?<name>[!#-<>-\\^-~]{1,32})="/.exec(text.slice(at));
    if (name === null) throw new Error(`no PARAM-NAME at ${at}`);
    at += name[0].length;
    let value = '';
    while (text[at] !== '"') {
      if (at >= text.length) throw new Error('PARAM-VALUE without end');
      if (text[at] === ']') throw new Error('an unescaped ] in a PARAM-VALUE');
      if (text[at] === '\\' && '"\\]'.includes(text[at + 1]!)) at++;
      value += text[at++];
    }
    if (members.has(name.groups!['name']!)) throw new Error(`${name.groups!['name']} twice`);
    members.set(name.groups!['name']!, value);
    at++;
  }
  if (text[at] !== ']') throw new Error(`no end of the SD-ELEMENT at ${at}`);
  return [{ id: start.groups!['id']!, members }, text.slice(at + 1)];
}

/** Takes whole frames from what was received. @throws if it is no octet counting */
export class FrameReader {
  #buffer = Buffer.alloc(0);

  take(chunk: Uint8Array): readonly Buffer[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const frames: Buffer[] = [];
    for (;;) {
      const start = this.#buffer.subarray(0, 12).toString('latin1');
      const count = /^(?<count>[1-9]\d*) /.exec(start);
      if (count === null) {
        if (!/^(?:[1-9]\d{0,9})?$/.test(start)) throw new Error(`no MSG-LEN: ${start}`);
        return frames;
      }
      const length = Number(count.groups!['count']);
      const end = count[0].length + length;
      if (this.#buffer.length < end) return frames;
      frames.push(this.#buffer.subarray(count[0].length, end));
      this.#buffer = this.#buffer.subarray(end);
    }
  }

  /** Bytes of a message whose end has not come. */
  get left(): number {
    return this.#buffer.length;
  }
}
