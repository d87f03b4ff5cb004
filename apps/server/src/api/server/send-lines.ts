import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Lines of JSON: each line is complete, even if the file is cut. Source: https://github.com/ndjson/ndjson-spec */
export const linesMediaType = 'application/x-ndjson';

/** Sends a file at the pace of the reader (back-pressure). A reader who disconnects keeps what was sent until then. */
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
