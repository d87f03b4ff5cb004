import { readFileSync } from 'node:fs';
import type { Question } from './questions.ts';

const prefix = '/management/v1/workspaces/{workspace}/';
const document = new URL('../../../docs/reference/openapi-management.json', import.meta.url);

/** Parameters that every list has, or that do not change what is searched. */
const ofEveryList: ReadonlySet<string> = new Set(['limit', 'cursor', 'show', 'to']);

/**
 * Operations that are not lists of a page: streams and files, whose length is unlimited, and those that require a
 * person.
 */
const leftOut: Readonly<Record<string, string>> = {
  followWorkspace: 'a stream',
  exportWorkspaceAudit: 'a file',
  listBacktestExamples: 'of a backtest, and this workspace has none',
  readBacktest: 'the same',
  readTraining: 'the same',
  readModelFile: 'the same',
  readAction: 'the generated ones cannot be opened',
  diffPolicies: 'one version',
};
const leftOutFilters: ReadonlySet<string> = new Set([
  'listListItems text', // covered by the items masked for people: it opens them one by one, bounded by the list
]);

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly operationId: string;
          readonly parameters?: readonly { readonly name: string; readonly in: string }[];
        };
      }
    >
  >;
}

/** The lists and filters of a workspace in the management API that no question covers. */
export function unasked(questions: readonly Question[]): readonly string[] {
  const { paths } = JSON.parse(readFileSync(document, 'utf8')) as Document;
  const asked = questions.map(({ path }) => new URL(path, 'http://localhost/'));
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || !path.startsWith(prefix) || get.operationId in leftOut) return [];
    const pattern = new RegExp(`^/${path.slice(prefix.length).replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const those = asked.filter(({ pathname }) => pattern.test(pathname));
    if (those.length === 0) return [get.operationId];
    return (get.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && !ofEveryList.has(parameter.name))
      .map(({ name }) => ({ name, filter: `${get.operationId} ${name}` }))
      .filter(({ name, filter }) => !leftOutFilters.has(filter) && !those.some((one) => one.searchParams.has(name)))
      .map(({ filter }) => filter);
  });
}
