/**
 * What a destination is told, and when. The events, each with its threshold:
 *
 *     alert        an alert whose risk or amount reaches it; over when it is decided
 *     queueAge     the oldest open alert waits longer, or is overdue
 *     ruleSpike    a rule fires far more often than in its own week (rule-spike.ts)
 *     modelDrift   a model reads or says something else than in its training (decide/model-days.ts)
 *     webhook      the breaker of the bank's webhook is open, or a share of its answers is code 0
 *     engineLag    the oldest record that is not decided is older
 *     approval     a policy waits for a second person
 *     hold         a held payment ends soon without a decision
 *     resolution   the bank was not told the end of a hold
 *     mention      a comment names a person; assignment: an alert was handed to a person
 */
import { type EpochMs, minuteMs, dayMs, timeZone } from '@ringfence/contract';
import { Type } from 'typebox';
import { exactly, oneOf, text, wholeNumber, yesOrNo } from '../platform/shapes/shape.ts';
import { timezoneShape } from '../tenancy/workspaces/settings-shape.ts';

export const notificationEvents = [
  'alert',
  'queueAge',
  'ruleSpike',
  'modelDrift',
  'webhook',
  'engineLag',
  'approval',
  'hold',
  'resolution',
  'mention',
  'assignment',
] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

export const destinationKinds = ['http', 'slack', 'teams', 'email'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

const minutesMax = 10_080;

function event<Members extends Type.TProperties>(
  members: Members,
  description: string,
): Type.TOptional<Type.TObject<Members>> {
  return Type.Optional(exactly(members, { description }));
}

const minutes = (byDefault: number, description: string): Type.TInteger =>
  wholeNumber({ minimum: 1, maximum: minutesMax, unit: 'minutes', default: byDefault, description });

const eventsShape = exactly(
  {
    alert: event(
      {
        risk: Type.Optional(wholeNumber({ minimum: 0, maximum: 100, description: 'At least this risk.' })),
        amount: Type.Optional(
          wholeNumber({ minimum: 0, maximum: 1_000_000_000_000, description: 'Or at least this amount.' }),
        ),
        currency: Type.Optional(
          text({
            maxLength: 3,
            expected: 'an ISO 4217 code, like MXN',
            description: 'Of the amount; other currencies do not count. Left out: any.',
            refine: (code) => (/^[A-Z]{3}$/.test(code) ? undefined : 'an ISO 4217 code, like MXN'),
          }),
        ),
      },
      'An alert. Without a threshold: every one.',
    ),
    queueAge: event(
      {
        minutes: Type.Optional(
          wholeNumber({
            minimum: 1,
            maximum: minutesMax,
            unit: 'minutes',
            description:
              'Longer than this, within the business hours of the workspace. Left out: overdue (`alerts.dueMinutes` of the workspace, or 60).',
          }),
        ),
      },
      'The oldest open alert waits too long.',
    ),
    ruleSpike: event(
      {
        window: oneOf(['5m', '1h'], { default: '5m', description: 'The time that is compared.' }),
        factor: wholeNumber({ minimum: 2, maximum: 100, default: 3, description: 'Times the expected number.' }),
        minimum: wholeNumber({ minimum: 5, maximum: 1_000_000, default: 10, description: 'Fewer are never a spike.' }),
      },
      'A rule fires far more often than in its own last seven days at this time of day.',
    ),
    modelDrift: event(
      {
        hundredths: wholeNumber({
          minimum: 5,
          maximum: 1_000,
          default: 10,
          description:
            'Of the population stability index: 10 for warnings (0.1) and alarms, 25 for alarms (0.25) alone. Over at half of it.',
        }),
      },
      'A model reads other values, or gives other results, than in its training, on the last whole day.',
    ),
    webhook: event(
      {
        notExecutedPercent: wholeNumber({
          minimum: 1,
          maximum: 100,
          default: 50,
          description: 'Of at least 10 actions decided in the last hour: answered with code 0.',
        }),
      },
      'The webhook of the bank fails or is disabled, or answers code 0 too often.',
    ),
    engineLag: event(
      { seconds: wholeNumber({ minimum: 5, maximum: 86_400, unit: 'seconds', default: 60 }) },
      'Events wait for their decision.',
    ),
    approval: event({}, 'A policy waits for the approval of a second person.'),
    hold: event({ minutes: minutes(10, 'Before it ends.') }, 'A held payment ends soon without a decision.'),
    resolution: event(
      { minutes: minutes(5, 'After the decision.') },
      'The bank was not told that a payment is released or rejected.',
    ),
    mention: event({}, 'A comment names a person.'),
    assignment: event({}, 'An alert was assigned to a person.'),
  },
  { description: 'What is told; an event that is left out is not.' },
);

const clockTime = 'a time of day, like 22:00';
const timeShape = (description: string): Type.TString =>
  text({
    maxLength: 5,
    expected: clockTime,
    description,
    refine: (time) => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time) ? undefined : clockTime),
  });

/** When messages are sent. */
const scheduleMembers = {
  quietHours: Type.Optional(
    exactly(
      { from: timeShape('They begin.'), to: timeShape('They end.'), timezone: timezoneShape },
      {
        description: 'Nothing is sent then: it is collected, and sent when they end.',
        refine: ({ from, to }) => (from === to ? [{ path: ['to'], expected: 'another time than from' }] : undefined),
      },
    ),
  ),
  digestMinutes: wholeNumber({
    minimum: 0,
    maximum: 1_440,
    default: 0,
    description: 'Collects for this long into one message. 0: sent at once.',
  }),
};

export const languages = ['en', 'es'] as const;

export const destinationSettingsMembers = {
  events: eventsShape,
  ...scheduleMembers,
  recovery: yesOrNo({
    default: true,
    description: 'Also told when it is over, except of alerts, mentions and assignments.',
  }),
  showPersonal: yesOrNo({
    default: false,
    description:
      'Sends the client and the text of comments in clear. Otherwise the client is masked, and no text is sent.',
  }),
  language: oneOf(languages, { default: 'en', description: 'Of the texts.' }),
};

const destinationSettingsShape = exactly(destinationSettingsMembers);
export type DestinationSettings = Type.Static<typeof destinationSettingsShape>;

/** What a person gets at their own e-mail address. */
export const choiceShape = exactly({
  mention: yesOrNo({ default: false, description: 'A comment names you: `@name` or `@name@bank.example`.' }),
  assignment: yesOrNo({ default: false, description: 'An alert was assigned to you.' }),
  approval: yesOrNo({ default: false, description: 'A policy waits that you may approve.' }),
  ...scheduleMembers,
});
export type Choice = Type.Static<typeof choiceShape>;

export const noChoice: Choice = { mention: false, assignment: false, approval: false, digestMinutes: 0 };

type Schedule = Pick<DestinationSettings, 'quietHours' | 'digestMinutes'>;

/** When something that happens now is sent: after the digest's time, and not within the quiet hours. */
export function sendTimeMs({ quietHours, digestMinutes }: Schedule, nowMs: number): number {
  let atMs = nowMs + digestMinutes * minuteMs;
  if (quietHours === undefined) return atMs;
  const zone = timeZone(quietHours.timezone);
  const [from, to] = [minuteOfDay(quietHours.from), minuteOfDay(quietHours.to)];
  // Twice: where clocks change meanwhile, the first result is still within the quiet hours or an hour late.
  for (let look = 0; look < 2; look++) {
    const localMs = atMs + (zone?.offsetAt(atMs as EpochMs) ?? 0);
    const local = Math.floor((localMs % dayMs) / minuteMs);
    const isQuiet = from < to ? local >= from && local < to : local >= from || local < to;
    if (!isQuiet) return atMs;
    const endsInMinutes = (to - local + minutesOfDay) % minutesOfDay;
    atMs = (Math.floor(atMs / minuteMs) + endsInMinutes) * minuteMs;
  }
  return atMs;
}

const minutesOfDay = 1_440;

function minuteOfDay(time: string): number {
  const [hours, minutesPast] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutesPast;
}
