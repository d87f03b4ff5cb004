import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { csvLine, itemColumns, type ItemRefusal, Problem, readItems } from '@ringfence/contract';
import { partsOfItem, readItem } from '@ringfence/policy';
import { type Command, Option } from 'commander';
import { changeList, type ItemNamed, type NewItem } from '../../policies/directives/change-list.ts';
import type { StoredItem } from '../../policies/directives/list-item-rows.ts';
import { findItem, findLiveList, listItems, listLists } from '../../policies/directives/live-lists.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { authorOf } from '../operating-user.ts';
import { type OpenInstallation, withWorkspace } from '../open-installation.ts';
import { counted, instant, printResult, shown, table } from '../print.ts';
import { readEnd } from '../read-end.ts';
import type { Shell } from '../shell.ts';

interface ListOptions extends WorkspaceOptions {
  readonly author?: string;
  readonly comment?: string;
  readonly until?: string;
}

export function addListCommands(shell: Shell): void {
  const group = shell.program
    .command('list')
    .description('Live lists of a policy: show, add, remove, import, export.')
    .summary('Change the live lists of a policy.');
  addShow(group, shell);
  addAdd(group, shell);
  addRemove(group, shell);
  addImport(group, shell);
  addExport(group, shell);
}

function addShow(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('show'))
    .argument('[list]', 'name of a list (default: all lists)')
    .action((name: string | undefined, options: ListOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        if (name === undefined) {
          const lists = await listLists(installation.pool, workspace, io.now());
          const rows = lists.map((one) => [
            one.name,
            one.of.join(', '),
            one.live === undefined ? 'files' : 'live',
            String(one.declared),
            String(one.items),
          ]);
          printResult(io, options, { json: lists, human: table(['LIST', 'OF', '', 'DECLARED', 'LIVE'], rows) });
          return;
        }
        const items = await listItems(installation, workspace, { list: name, nowMs: io.now() });
        const rows = items.map((item) => [
          item.parts.join(', '),
          item.expiresAtMs === undefined ? 'permanent' : instant(item.expiresAtMs),
          item.author,
          item.comment,
        ]);
        printResult(io, options, { json: items, human: table(['ITEM', 'UNTIL', 'AUTHOR', 'COMMENT'], rows) });
      }),
    );
  about(command, {
    summary: 'Show the lists of the active policy, or the items of a live list.',
    examples: [
      ['ringfence list show -w acme/production', ''],
      ['ringfence list show mulePayees -w acme/production', ''],
    ],
  });
}

function authoring(command: Command): Command {
  return command
    .option('--comment <text>', 'the reason for the change', '')
    .option('--author <name>', 'who is responsible (default: the user of this shell)');
}

function ofItem(command: Command): Command {
  return authoring(onWorkspace(command))
    .argument('<list>', 'name of a live list')
    .argument('<parts...>', 'the item: one value, or the two of a pair');
}

function addAdd(group: Command, { io }: Shell): void {
  const command = ofItem(group.command('add')).action(async (name: string, parts: string[], options: ListOptions) => {
    const end = options.until === undefined ? undefined : readEnd(options.until, io.now());
    await withWorkspace(io, options, async (installation, workspace) => {
      const replaced = await findItem(installation, workspace, { list: name, parts, nowMs: io.now() });
      const put = [{ parts, expiresAtMs: end }];
      await changeAll(io, installation, { workspace, name, options, put, remove: [], placeOf: () => parts.join(', ') });
      const item = shown(parts.join(', '));
      const human =
        replaced === undefined
          ? `Added ${item} to ${name}.\n`
          : `${item} stays on ${name} ${endText(end)}; before: ${placementText(replaced)}.\n`;
      printResult(io, options, { json: { changed: 1, replaced }, human });
    });
  });
  command.option('--until <end>', 'when the item expires: 7d, 12h, or 2027-02-01T00:00:00Z');
  about(command, {
    summary: 'Add an item to a live list.',
    details:
      'Takes effect with its record in the log; the policy version does not change. If the item is already on the list, its end and comment are replaced, and the old ones are printed.',
    examples: [['ringfence list add mulePayees BANK-A/123456 -w acme/production --comment "reported"', '']],
  });
}

function addRemove(group: Command, { io }: Shell): void {
  const command = ofItem(group.command('remove')).action((name: string, parts: string[], options: ListOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const item = shown(parts.join(', '));
      const present = await findItem(installation, workspace, { list: name, parts, nowMs: io.now() });
      if (present === undefined) throw new Problem('thing.unknown', notPut(item, name));
      const remove = [{ parts }];
      await changeAll(io, installation, { workspace, name, options, put: [], remove, placeOf: () => parts.join(', ') });
      printResult(io, options, { json: { changed: 1 }, human: `Removed ${item} from ${name}.\n` });
    }),
  );
  about(command, {
    summary: 'Remove an item from a live list.',
    details: 'Takes effect with its record in the log; the policy version does not change.',
    examples: [['ringfence list remove mulePayees BANK-A/123456 -w acme/production --comment "reported"', '']],
    failure: 'refused or failed, or the item is not on the list',
  });
}

function notPut(item: string, list: string): string {
  return `${item} is not among the live items of ${list}. Remove an item that the policy declares from the policy files.`;
}

/** `until 2027-02-01 00:00:00Z (mara: reported)` */
function placementText({ expiresAtMs, author, comment }: StoredItem): string {
  return `${endText(expiresAtMs)} (${shown(comment === '' ? author : `${author}: ${comment}`)})`;
}

function endText(atMs: number | undefined): string {
  return atMs === undefined ? 'permanently' : `until ${instant(atMs)}`;
}

async function changeAll(
  io: CliIo,
  installation: OpenInstallation,
  wanted: {
    readonly workspace: Workspace;
    readonly name: string;
    readonly options: ListOptions;
    readonly put: readonly NewItem[];
    readonly remove: readonly ItemNamed[];
    /** How error messages name the item at this index of `put` or `remove`. */
    readonly placeOf: (of: 'put' | 'remove', at: number) => string;
  },
): Promise<void> {
  const { workspace, name, options, put, remove, placeOf } = wanted;
  const told = { list: name, author: authorOf(io, options), comment: options.comment ?? '', nowMs: io.now() };
  await changeList(installation, workspace, { ...told, put, remove }).catch((error: unknown) => {
    throw error instanceof Problem ? placed(error, placeOf) : error;
  });
}

/** The same problem, with JSON pointers replaced by the items or lines that the user gave. */
function placed(problem: Problem, placeOf: (of: 'put' | 'remove', at: number) => string): Problem {
  const errors = problem.errors.map((error) => {
    const [, of, at] = /^\/(put|remove)\/(\d+)$/.exec(error.pointer) ?? [];
    if (of === undefined) return error;
    return { ...error, pointer: '', detail: `${placeOf(of as 'put' | 'remove', Number(at))}: ${error.detail}` };
  });
  return new Problem(problem.code, problem.detail, { errors, cause: problem });
}

/** @throws UsageError */
function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

interface ImportOptions extends ListOptions {
  readonly replace?: boolean;
  readonly delimiter?: string;
  readonly encoding?: 'utf-8' | 'windows-1252';
  readonly header: boolean;
}

function addImport(group: Command, { io }: Shell): void {
  const command = authoring(onWorkspace(group.command('import')))
    .argument('<list>', 'name of a live list')
    .argument('<file>', 'CSV: the item, or the two parts of a pair; then, optionally, its end')
    .option('--replace', 'remove items that are not in the file')
    .option('--delimiter <sign>', 'between values: one character, or tab (default: comma)')
    .addOption(new Option('--encoding <name>', 'of the file').choices(['utf-8', 'windows-1252']))
    .option('--no-header', 'the first line is an item, even if it looks like the names of columns')
    .action(async (name: string, file: string, options: ImportOptions) => {
      const bytes = readBytes(resolve(io.folder, file));
      await withWorkspace(io, options, async (installation, workspace) => {
        const list = await findLiveList(installation.pool, workspace, name);
        const { lines, put } = itemsOf(bytes, { file, of: list.of, nowMs: io.now(), options });
        const kept = new Set(put.map(({ parts }) => JSON.stringify(keptAs(list, parts))));
        const present =
          options.replace === true ? await listItems(installation, workspace, { list: name, nowMs: io.now() }) : [];
        const remove = present.filter(({ parts }) => !kept.has(JSON.stringify(parts)));
        const placeOf = (of: 'put' | 'remove', at: number): string =>
          of === 'put' ? `${file}:${lines[at]!}` : remove[at]!.parts.join(', ');
        await changeAll(io, installation, { workspace, name, options, put, remove, placeOf });
        const human = `${name}: ${counted(put.length, 'item')} added or updated, ${counted(remove.length, 'item')} removed.\n`;
        printResult(io, options, { json: { put: put.length, removed: remove.length }, human });
      });
    });
  about(command, {
    summary: 'Add all items of a CSV file to a live list.',
    details:
      'All or nothing: every line is checked before the first change, and all changes are stored together. The first line may name the facts of the list, as in an export. UTF-16 is recognised by its byte order mark.',
    examples: [['ringfence list import mulePayees mules.csv -w acme --replace --comment "today’s feed"', '']],
  });
}

interface ItemsOf {
  readonly file: string;
  readonly of: readonly string[];
  readonly nowMs: number;
  readonly options: ImportOptions;
}

/** The items of a file with the numbers of their lines. @throws UsageError for a line that cannot be read */
function itemsOf(
  bytes: Uint8Array,
  { file, of, nowMs, options }: ItemsOf,
): { readonly lines: readonly number[]; readonly put: readonly (NewItem & { readonly parts: readonly string[] })[] } {
  const { delimiter, encoding, header, replace } = options;
  const read = readItems(bytes, {
    of,
    nowMs,
    header,
    ...(delimiter === undefined ? {} : { delimiter: delimiterOf(delimiter) }),
    ...(encoding === undefined ? {} : { encoding }),
  });
  const wrong = read.find((line) => 'refused' in line);
  if (wrong !== undefined) {
    const mend = mends[wrong.refused];
    throw new UsageError(`${file}:${wrong.line}: ${wrong.detail}${mend === undefined ? '' : `. ${mend}`}`);
  }
  const items = read.filter((line) => 'parts' in line);
  if (items.length === 0 && replace === true)
    throw new UsageError(`${file} has no item: --replace would remove all items of the list. Nothing was changed.`);
  return { lines: items.map(({ line }) => line), put: items };
}

const mends: Readonly<Partial<Record<ItemRefusal, string>>> = {
  delimiter: 'Write --delimiter to say what separates values; --delimiter , takes the lines as they are.',
  header: 'Remove the line, or write --no-header if it is an item.',
  encoding: 'Save the file in UTF-8, or write --encoding windows-1252.',
};

/** @throws UsageError */
function delimiterOf(written: string): string {
  const sign = written === 'tab' ? '\t' : written;
  if (/^[^\s"\w]$|^\t$/.test(sign)) return sign;
  throw new UsageError(`--delimiter: expected one character, or tab, found "${written}"`);
}

/** The parts in the list's canonical form. Invalid parts are returned unchanged: `changeList` refuses them. */
function keptAs(list: Parameters<typeof readItem>[0], parts: readonly string[]): readonly string[] {
  const read = readItem(list, parts);
  return read.ok ? partsOfItem(read.text) : parts;
}

function addExport(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('export'))
    .argument('<list>', 'name of a live list')
    .action((name: string, options: ListOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const { of } = await findLiveList(installation.pool, workspace, name);
        const items = await listItems(installation, workspace, { list: name, nowMs: io.now() });
        const rows = items.map(({ parts, expiresAtMs }) => [
          ...parts,
          ...(expiresAtMs === undefined ? [] : [new Date(expiresAtMs).toISOString()]),
        ]);
        const human = [itemColumns(of), ...rows].map((row) => csvLine(row)).join('');
        printResult(io, options, { json: items, human });
      }),
    );
  about(command, {
    summary: 'Write the items of a live list as CSV that `list import` can read.',
    details:
      'The first line names the facts of the list. Values that a spreadsheet would read as a formula get a leading apostrophe, which an import removes again.',
    examples: [['ringfence list export mulePayees -w acme/production > mules.csv', '']],
  });
}
