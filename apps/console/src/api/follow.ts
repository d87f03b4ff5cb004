import { ApiProblem } from './api-problem.ts';
import { type Answer, ask, type Input, type OperationId } from './call.ts';
import type { InquiryProblem } from './operations.generated.ts';

/** Operations that answer with a stream of known events, which ends with an answer or a problem. */
type StreamId = {
  [Id in OperationId]: Answer<Id> extends { readonly problem: InquiryProblem } ? Id : never;
}[OperationId];

type Events<Id extends StreamId> = Omit<Answer<Id>, 'problem'>;

/** Handlers for the data of each event. */
export type Hearing<Id extends StreamId> = { readonly [Name in keyof Events<Id>]: (data: Events<Id>[Name]) => void };

/**
 * Runs an operation that streams its answer, and reads the stream to its end. Aborting the signal cancels it.
 *
 * @throws ApiProblem also if the stream ends with one
 */
export async function follow<Id extends StreamId>(
  id: Id,
  input: Input<Id>,
  { hearing, signal }: { readonly hearing: Hearing<Id>; readonly signal: AbortSignal },
): Promise<void> {
  const response = await ask(id, input, { signal });
  let rest = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await read(reader);
    if (done) return;
    rest += value;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      hear(rest.slice(0, end), hearing as Readonly<Record<string, (data: unknown) => void>>);
      rest = rest.slice(end + 2);
    }
  }
}

async function read(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  try {
    return await reader.read();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw ApiProblem.unreachable(error);
  }
}

function hear(part: string, hearing: Readonly<Record<string, (data: unknown) => void>>): void {
  const event = /^event: (.*)$/m.exec(part)?.[1];
  const text = /^data: (.*)$/m.exec(part)?.[1];
  // A comment is only a keep-alive.
  if (event === undefined || text === undefined) return;
  if (event === 'problem') throw ApiProblem.of((JSON.parse(text) as { status: number }).status, text);
  hearing[event]?.(JSON.parse(text));
}
