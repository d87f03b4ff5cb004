import type { PolicyFile } from '../../api/operations.generated.ts';

/** Names of rules by number. The YAML parser is loaded on demand. */
export async function ruleNames(files: readonly PolicyFile[]): Promise<ReadonlyMap<number, string>> {
  const { parse } = await import('yaml');
  const rules = files.flatMap(({ text }) => {
    const document: unknown = parse(text, { logLevel: 'silent' });
    return isMapping(document) && Array.isArray(document['rules']) ? (document['rules'] as unknown[]) : [];
  });
  return new Map(rules.filter(isMapping).map((rule) => [Number(rule['reason']), String(rule['name'])] as const));
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
