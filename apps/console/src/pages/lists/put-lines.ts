import { ApiProblem } from '../../api/api-problem.ts';
import { call } from '../../api/call.ts';

/** A line that was not imported. */
export interface RefusedLine {
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

interface Line {
  readonly line: number;
  readonly parts: readonly string[];
  readonly expiresAt?: string;
}

/** The maximum that the service accepts in one change. */
const itemsMax = 1_000;

interface PutLinesOf {
  readonly workspace: string;
  readonly list: string;
  readonly comment: string;
}

/**
 * Imports lines, 1,000 at a time. A change with an invalid item is refused as a whole: it is repeated without the
 * invalid lines, which are returned.
 */
export async function putLines(
  of: PutLinesOf,
  lines: readonly Line[],
): Promise<{ readonly put: number; readonly refused: readonly RefusedLine[] }> {
  const refused: RefusedLine[] = [];
  let put = 0;
  for (let from = 0; from < lines.length; from += itemsMax) {
    const chunk = lines.slice(from, from + itemsMax);
    const wrong = await putChunk(of, chunk);
    const good = chunk.filter((line) => !wrong.some((one) => one.line === line.line));
    const wrongAgain = wrong.length === 0 || good.length === 0 ? [] : await putChunk(of, good);
    refused.push(...wrong, ...wrongAgain);
    put += wrongAgain.length > 0 ? 0 : good.length;
  }
  return { put, refused };
}

/** @returns the invalid lines, or all of them if the change failed for another reason */
async function putChunk(of: PutLinesOf, lines: readonly Line[]): Promise<readonly RefusedLine[]> {
  const { comment, ...params } = of;
  const put = lines.map(({ line: _line, ...item }) => item);
  try {
    await call('changeList', { params, body: { put, comment } });
    return [];
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const told = error.errors.flatMap(({ pointer, detail, expected }) => {
      const line = lines[Number(/^\/(?:put|body\/put)\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN)];
      return line === undefined ? [] : [refusedLine(line, expected === undefined ? detail : `${detail} ${expected}`)];
    });
    return told.length > 0 ? told : lines.map((line) => refusedLine(line, error.detail || error.title));
  }
}

function refusedLine({ line, parts }: Line, why: string): RefusedLine {
  return { line, text: parts.join(', '), why };
}
