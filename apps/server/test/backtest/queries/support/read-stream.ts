/** One event of an open stream. */
export interface Told {
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events until the stream ends, or the caller stops reading. */
export async function* readStream(response: Response): AsyncGenerator<Told> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    rest += text;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const part = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const event = /^event: (.*)$/m.exec(part)?.[1];
      if (event !== undefined) yield { event, data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) };
    }
  }
}
