import type { Command } from 'commander';
import type { TestTranscript } from '../../dispatcher/test-action.ts';
import { about, onInstallation, onWorkspace } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { findWorkspace } from '../find-workspace.ts';
import { withInstallation } from '../open-installation.ts';
import { printResult, shown } from '../print.ts';
import { sendTest } from '../send-test.ts';
import type { Shell } from '../shell.ts';

interface WebhookOptions extends CommonOptions {
  readonly workspace?: string;
}

export function addWebhookCommands(shell: Shell): void {
  const group = shell.program
    .command('webhook')
    .description('The webhook of a workspace: test it, print its signing secret.')
    .summary('Test a webhook.');
  addTest(group, shell);
  addSecret(group, shell);
}

function addTest(group: Command, { io, fail }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('test'))).action(async (options: WebhookOptions) => {
    await withInstallation(io, options, async (installation) => {
      const workspace = await findWorkspace(installation, options.workspace);
      const transcript = await sendTest(installation, workspace);
      printResult(io, options, { json: transcript, human: transcriptText(transcript) });
      if (transcript.verdict === 'failed') fail(exitCodes.failed);
    });
  });
  about(command, {
    summary: 'Send a test action from this machine, and show the whole conversation.',
    details:
      'Action 6, reason 0, a client that no bank has. It goes out also while the workspace observes, and nothing of it is kept.',
    examples: [['ringfence webhook test -w acme/production', 'does the bank answer?']],
    failure: 'the webhook did not answer with code 1 or 0',
  });
}

const verdicts = {
  executed: 'The webhook answered code 1: executed.',
  notExecuted: 'The webhook answered code 0: not executed. It works.',
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
  const command = onInstallation(onWorkspace(group.command('secret'))).action(async (options: WebhookOptions) => {
    await withInstallation(io, options, async (installation) => {
      const workspace = await findWorkspace(installation, options.workspace);
      const secret = `whsec_${workspace.secrets.webhook.toString('base64')}`;
      printResult(io, options, { json: { secret }, human: `${secret}\n` });
    });
  });
  about(command, {
    summary: 'Print the secret that signs this workspace’s webhooks (Standard Webhooks).',
    details: 'The bank’s receiver checks `webhook-signature` with it. Hand it over as a secret.',
    examples: [['ringfence webhook secret -w acme/production', 'for the bank’s backend']],
  });
}
