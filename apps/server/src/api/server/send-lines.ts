import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Lines of JSON: each is whole by itself, however the file ends. Source: https://github.com/ndjson/ndjson-spec */
export const linesMediaType = 'application/x-ndjson';

/** Answers with a file, as fast as it is read. Whoever stops reading it has what came until then. */
export async function sendLines(
  response: ServerResponse,
  of: {
    readonly headers: Readonly<Record<string, string>>;
    readonly name: string;
    readonly lines: AsyncIterable<string>;
  },
): Promise<void> {
  response.writeHead(200, {
    ...of.headers,
    'content-type': `${linesMediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="${of.name}"`,
  });
  try {
    await pipeline(Readable.from(of.lines), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
