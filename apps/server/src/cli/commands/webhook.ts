import { secretText } from '@ringfence/delivery';
import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import type { TestTranscript } from '../../deliver/test-action.ts';
import {
  overlapHoursDefault,
  overlapHoursMax,
  retireSigningSecret,
  rotateSigningSecret,
} from '../../tenancy/workspaces/signing-secret.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, exitCodes, type WorkspaceOptions } from '../cli-io.ts';
import { type OpenInstallation, withWorkspace } from '../open-installation.ts';
import { instant, printResult, shown } from '../print.ts';
import { sendTest } from '../send-test.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

export function addWebhookCommands(shell: Shell): void {
  const group = shell.program
    .command('webhook')
    .description('The webhook of a workspace: test and enable it, print and rotate its signing secret.')
    .summary('Test or enable a webhook, rotate its signing secret.');
  addTest(group, shell);
  addEnable(group, shell);
  addSecret(group, shell);
  addRotateSecret(group, shell);
  addRetireSecret(group, shell);
}

function addTest(group: Command, { io, fail }: Shell): void {
  const command = onWorkspace(group.command('test')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const transcript = await sendTest(installation, workspace);
      printResult(io, options, { json: transcript, human: transcriptText(transcript) });
      if (transcript.verdict === 'failed') fail(exitCodes.failed);
      else await adviseToEnable(io, installation, workspace);
    }),
  );
  about(command, {
    summary: 'Send a test action from this machine, and show request and response.',
    details:
      'Sends action 6, reason 0, with a client that no bank has. Works even if the workspace only observes, and stores nothing.',
    examples: [['ringfence webhook test -w acme/production', 'does the bank answer?']],
    failure: 'the webhook did not answer with code 1 or 0',
  });
}

/** A disabled webhook is not tried again, even if it works, until it is enabled. */
async function adviseToEnable(io: CliIo, installation: OpenInstallation, workspace: Workspace): Promise<void> {
  const { state } = await installation.deliveries.endpoint(workspace.id);
  if (state === 'disabled')
    io.complain(
      `The webhook is disabled after days of failures, and actions wait. To send them: ringfence webhook enable -w ${labelOf(workspace)}\n`,
    );
}

function addEnable(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('enable')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      await installation.deliveries.enableEndpoint(workspace.id);
      const human = `The webhook of ${labelOf(workspace)} is enabled: waiting actions are sent now.\n`;
      printResult(io, options, { json: { enabled: labelOf(workspace) }, human });
    }),
  );
  about(command, {
    summary: 'Try a failing webhook again now, including one that was disabled after days of failures.',
    details: 'Use it when the bank’s webhook works again. Check first with: ringfence webhook test.',
    examples: [['ringfence webhook enable -w acme/production', 'send what waits']],
  });
}

const verdicts = {
  executed: 'The webhook answered code 1: executed.',
  notExecuted: 'The webhook works. It answered code 0: not executed.',
  failed: 'The webhook does not work yet.',
};

function transcriptText({ verdict, problem, request, response, durationMs }: TestTranscript): string {
  const head = (headers: Readonly<Record<string, string>>): string =>
    Object.entries(headers)
      .map(([name, value]) => `  ${name}: ${shown(value)}\n`)
      .join('');
  const answer =
    response === undefined ? '' : `< HTTP ${response.status}\n${head(response.headers)}\n  ${shown(response.body)}\n\n`;
  const why = problem === undefined ? '' : `${problem.reason}: ${shown(problem.detail)}\n${problem.advice}\n`;
  return `> ${request.method} ${request.url}\n${head(request.headers)}\n  ${request.body}\n\n${answer}${verdicts[verdict]} (${Math.round(durationMs)} ms)\n${why}`;
}

function addSecret(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('secret')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (_, { secrets: { webhook, webhookBefore: before } }) => {
      const secret = secretText(webhook);
      if (before !== undefined) io.complain(`The previous secret also signs, until ${instant(before.untilMs)}.\n`);
      printResult(io, options, { json: { secret, ...untilMember(before?.untilMs) }, human: `${secret}\n` });
    }),
  );
  about(command, {
    summary: 'Print the secret that signs this workspace’s webhooks (Standard Webhooks).',
    details: 'The bank’s receiver verifies `webhook-signature` with it. Send it to the bank over a safe channel.',
    examples: [['ringfence webhook secret -w acme/production', 'for the bank’s backend']],
  });
}

function untilMember(untilMs: number | undefined): object {
  return untilMs === undefined ? {} : { beforeUntil: new Date(untilMs).toISOString() };
}

interface RotateOptions extends WorkspaceOptions {
  readonly overlapHours: string;
}

function addRotateSecret(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('rotate-secret'))
    .option(
      '--overlap-hours <number>',
      `how long the previous secret keeps signing, 0 to ${overlapHoursMax}`,
      String(overlapHoursDefault),
    )
    .action(async (options: RotateOptions) => {
      const hours = wholeNumber('--overlap-hours', options.overlapHours, { min: 0, max: overlapHoursMax });
      await withWorkspace(io, options, async (installation, workspace) => {
        const { secret, beforeUntilMs } = await rotateSigningSecret(installation, workspace.id, hours);
        const until =
          beforeUntilMs === undefined
            ? 'The previous secret stops signing within 5 seconds.'
            : `The previous secret also signs until ${instant(beforeUntilMs)}: give the bank the new one before that. To end it earlier: ringfence webhook retire-secret -w ${labelOf(workspace)}`;
        const text = secretText(secret);
        printResult(io, options, {
          json: { secret: text, ...untilMember(beforeUntilMs) },
          human: `The webhooks of ${labelOf(workspace)} are now signed with:\n\n${text}\n\n${until}\n`,
        });
      });
    });
  about(command, {
    summary: 'Generate a new signing secret; the previous one keeps signing during an overlap.',
    details:
      'During the overlap every webhook carries two signatures, and a receiver can verify it with either secret. With 0 hours the previous secret ends immediately: use this for a leaked secret. Webhooks then fail until the bank has the new secret, and are retried.',
    examples: [
      ['ringfence webhook rotate-secret -w acme/production', 'the bank has 24 hours to change'],
      ['ringfence webhook rotate-secret -w acme/production --overlap-hours 0', 'the secret leaked'],
    ],
  });
}

function addRetireSecret(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('retire-secret')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const retired = await retireSigningSecret(installation, workspace.id);
      const human = retired
        ? `Within 5 seconds, only the current secret signs the webhooks of ${labelOf(workspace)}.\n`
        : `${labelOf(workspace)} has no previous signing secret to retire.\n`;
      printResult(io, options, { json: { retired }, human });
    }),
  );
  about(command, {
    summary: 'End the overlap of a rotation: the previous secret stops signing.',
    details: 'Use it once the bank’s receiver has the new secret. Otherwise the overlap ends at its set time.',
    examples: [['ringfence webhook retire-secret -w acme/production', 'the bank has the new secret']],
  });
}
