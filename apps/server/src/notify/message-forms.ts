/** A message in the form of each kind of destination. The id is in every form: a receiver drops repeats by it. */
import type { Note } from '../notifications/notification-outbox.ts';
import { pageOf, textOf, textsIn } from './message-text.ts';

/** A message before it has a form. */
export interface Message {
  readonly id: string;
  readonly workspace: { readonly id: string; readonly name: string; readonly environment: string };
  readonly notes: readonly Note[];
  readonly language: string;
  /** Origin of the console, for links; `undefined`: there are none. */
  readonly consoleOrigin: string | undefined;
  readonly madeAtMs: number;
}

interface Line {
  readonly text: string;
  readonly link: string | undefined;
}

function linesOf({ notes, language, workspace, consoleOrigin }: Message): readonly Line[] {
  const of = encodeURIComponent(`${workspace.name}:${workspace.environment}`);
  const base = consoleOrigin && `${consoleOrigin}/console/w/${of}/`;
  return notes.map((note) => ({ text: textOf(note, language), link: base && base + pageOf(note) }));
}

/** The first line: what it is about, and where. */
export function titleOf({ notes, language, workspace }: Message): string {
  const about = notes.length === 1 ? textOf(notes[0]!, language) : textsIn(language).several(notes.length);
  return `[${workspace.name}/${workspace.environment}] ${about}`;
}

export function httpBody(message: Message): string {
  const lines = linesOf(message);
  const { id, workspace, notes, madeAtMs } = message;
  return JSON.stringify({
    id,
    workspace: { id: workspace.id, name: workspace.name, environment: workspace.environment },
    madeAt: new Date(madeAtMs).toISOString(),
    notifications: notes.map(({ event, over, atMs, facts }, i) => ({
      event,
      state: over === true ? 'over' : 'began',
      at: new Date(atMs).toISOString(),
      ...lines[i]!,
      facts,
    })),
  });
}

/** A section holds 3,000 characters. */
const slackTextMax = 2_500;

/** Source: docs.slack.dev, "Sending messages using incoming webhooks" and "Formatting message text". */
export function slackBody(message: Message): string {
  const escaped = (text: string): string =>
    text.slice(0, slackTextMax).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const sections = linesOf(message).map(({ text, link }) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: link === undefined ? escaped(text) : `<${link}|${escaped(text)}>` },
  }));
  const head = { type: 'section', text: { type: 'plain_text', text: titleOf(message).slice(0, slackTextMax) } };
  const foot = { type: 'context', elements: [{ type: 'plain_text', text: message.id }] };
  // At most 50 blocks.
  const shown = message.notes.length === 1 ? sections : [head, ...sections.slice(0, 48)];
  return JSON.stringify({ text: escaped(titleOf(message)), blocks: [...shown, foot] });
}

/** A card in the form that the workflow "When a Teams webhook request is received" expects. */
export function teamsBody(message: Message): string {
  const escaped = (text: string): string => text.replaceAll(/[\\[\]*_#~`]/g, String.raw`\$&`);
  const block = (text: string, more: object = {}): object => ({ type: 'TextBlock', text, wrap: true, ...more });
  const body = [
    block(escaped(titleOf(message)), { weight: 'Bolder' }),
    ...linesOf(message).map(({ text, link }) =>
      block(link === undefined ? escaped(text) : `[${escaped(text)}](${link})`),
    ),
    block(message.id, { size: 'Small', isSubtle: true }),
  ];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
  };
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  });
}

/** Mail programs show about as much of a subject. */
const subjectLengthMax = 150;

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

export function mailOf(message: Message): Mail {
  const lines = linesOf(message).map(({ text, link }) => (link === undefined ? text : `${text}\n${link}`));
  const { workspace, language, id } = message;
  const foot = `-- \n${workspace.name}/${workspace.environment}. ${textsIn(language).why}\n${id}\n`;
  return { subject: titleOf(message).slice(0, subjectLengthMax), text: `${lines.join('\n\n')}\n\n${foot}` };
}
