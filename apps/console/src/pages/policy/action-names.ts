import type { PolicyFile } from '../../api/operations.generated.ts';
import { policyTexts } from '../../policy/policy-texts.ts';

/**
 * Names of custom actions by number: `actions: { 6: Call the client, 7: { name: Step-up } }`. A name in the bank's own
 * policy overrides that of a pack.
 */
export async function actionNames(files: readonly PolicyFile[]): Promise<ReadonlyMap<number, string>> {
  const { parse } = await import('yaml');
  const documents = policyTexts(files)
    .map(({ text }) => parse(text, { logLevel: 'silent' }) as unknown)
    .filter(isMapping);
  const packs = documents.filter((document) => 'pack' in document);
  const own = documents.filter((document) => !('pack' in document));
  const names = [...packs, ...own].flatMap(({ actions }) => (isMapping(actions) ? Object.entries(actions) : []));
  return new Map(
    names.flatMap(([action, named]) => {
      const name = isMapping(named) ? named['name'] : named;
      return typeof name === 'string' ? [[Number(action), name] as const] : [];
    }),
  );
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
