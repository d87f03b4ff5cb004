import type { Command } from 'commander';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { joinStreams, readStreamStates } from '../../platform/observability/stream-state.ts';
import { rewindStream, type RewindTo } from '../../streams/rewind.ts';
import { about, onInstallation } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { instantOf } from '../instant-option.ts';
import { inEveryDatabase, withEveryDatabase, withInstallation } from '../open-installation.ts';
import { grouped, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addStreamsCommands(shell: Shell): void {
  const group = shell.program
    .command('streams')
    .description('Streams of decisions to Kafka and files: list, rewind.')
    .summary('Streams of decisions to Kafka and files.');
  addList(group, shell);
  addRewind(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('list', { isDefault: true })).action((options: CommonOptions) =>
    withInstallation(io, options, async (home) => {
      const states = await withEveryDatabase(io, home, (all) =>
        Promise.all(all.map(({ pool }) => readStreamStates(pool, io.now()))),
      );
      const streams = joinStreams(states);
      const rows = streams.map(({ name, target, isRunning, lagMs, kinds, error }) => [
        name,
        error === undefined ? (isRunning ? 'sent' : 'not running') : 'failing',
        `${grouped(Math.ceil(lagMs / 1_000))} s`,
        kinds.map(({ kind, sent }) => `${grouped(sent)} ${kind}`).join(', '),
        target,
        error ?? '-',
      ]);
      const titles = ['NAME', 'STATE', 'LAG', 'SENT', 'TO', 'ERROR'];
      printResult(io, options, { json: streams, human: table(titles, rows) });
    }),
  );
  about(command, {
    summary: 'List the streams that ran, with how far they are behind.',
    examples: [['ringfence streams list', '`list` may be omitted']],
  });
}

interface RewindOptions extends CommonOptions {
  readonly to: string;
}

function addRewind(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('rewind'))
    .argument('<name>', 'the name of the stream')
    .requiredOption('--to <instant>', 'from where it is sent: start, now, or a time like 2026-11-21T10:15:30Z')
    .action((name: string, options: RewindOptions) => {
      const to = targetOf(options.to);
      return withInstallation(io, options, async (home) => {
        let moved = 0;
        await inEveryDatabase(io, home, async ({ pool }) => void (moved += await rewindStream(pool, name, to)));
        if (moved === 0) {
          throw new OperatorError(`No stream ${name} ever ran here.`, 'List the streams: ringfence streams.');
        }
        const human = `The stream ${name} is sent from ${options.to} on, by the process that sends it.\n`;
        printResult(io, options, { json: { stream: name, to: options.to }, human });
      });
    });
  about(command, {
    summary: 'Send a stream again, or skip what waits.',
    details:
      'Moves all its cursors: to the start of what is kept, to now, or to the first event at or after an instant. What was sent before is sent again under the same ids. Files are written again under names by their numbers: after a rewind, remove the files behind that place first.',
    examples: [
      ['ringfence streams rewind lake --to 2026-11-21', 'the receiver lost what came since'],
      ['ringfence streams rewind lake --to now', 'a new stream, without what is kept'],
    ],
  });
}

/** @throws UsageError */
function targetOf(text: string): RewindTo {
  if (text === 'start' || text === 'now') return { kind: text };
  return { kind: 'at', atMs: instantOf('--to', text)! };
}
