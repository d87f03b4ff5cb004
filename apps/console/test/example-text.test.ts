import { type EventKind, parseEvent, parseJson, timeZone } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import {
  csharpExample,
  curlExample,
  exampleKinds,
  type ExamplePlace,
  javaExample,
  nodeExample,
} from '../src/pages/integration/example-text.ts';

const place: ExamplePlace = { origin: 'https://events.bank.example', environment: 'development', key: '' };

/** Parses a body as the ingest listener does. */
function problemsOf(kind: EventKind, text: string): unknown {
  const read = parseJson(text);
  if (!read.ok) return read.error;
  const parsed = parseEvent(
    kind,
    { value: read.value, text },
    { cards: 'mask', zone: timeZone('UTC')!, hashCard: (hash) => hash },
  );
  return parsed.ok ? parsed.warnings : parsed.errors;
}

describe.each(exampleKinds)('the example of a %s', (kind) => {
  it('is accepted without a warning as sent by a shell', () => {
    const said = curlExample(kind, place);
    expect(said).toContain(`https://events.bank.example/api-dev/v5/analytics/app/${kind}`);
    expect(said).toContain('Bearer $RINGFENCE_KEY');
    const [, quoted = ''] = /-d '(.*)'$/.exec(said) ?? [];
    expect(problemsOf(kind, quoted.replace(/'\$\(date [^)]*\)'/, '2026-11-22T08:00:00Z'))).toEqual([]);
  });

  it('is accepted as sent by a Java program', () => {
    const [, body = ''] = new RegExp(`send\\("${kind}", """\\n\\s*(.*)"""`).exec(javaExample(place)) ?? [];
    expect(problemsOf(kind, body.replace('%s', '2026-11-22T08:00:00.123456789Z'))).toEqual([]);
  });

  it('is accepted as sent by a .NET program', () => {
    const [, body = ''] = new RegExp(`Send\\("${kind}", \\$\\$\\$"""(.*)"""`).exec(csharpExample(place)) ?? [];
    expect(problemsOf(kind, body.replace(/\{\{\{.*?\}\}\}/, '2026-11-22T08:00:00.1234567Z'))).toEqual([]);
  });
});

it('contains the license key if one is entered', () => {
  for (const write of [javaExample, csharpExample, nodeExample]) {
    expect(write({ ...place, key: 'rf_test_abc' })).toContain('rf_test_abc');
    expect(write(place)).toContain('RINGFENCE_KEY');
  }
});
