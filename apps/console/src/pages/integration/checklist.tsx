import { useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';

const everyMs = 3_000;
/** Enough to include one that found its session, even if later ones did not. */
const operationsSeen = 50;

/** Setup steps of a bank. Each turns green when it is done. */
export function Checklist(): ReactElement {
  const { t } = useTranslation();
  const asked = useAsked();
  // Without an answer, the state of a step is unknown.
  const unanswered = Object.values(asked).find(({ data }) => data === undefined);
  if (unanswered !== undefined) {
    return (
      <Panel title={t('integration.checklist')}>
        <Asked<unknown> of={unanswered} rows={4}>
          {() => null}
        </Asked>
      </Panel>
    );
  }
  const steps = stepsOf(asked);
  const done = steps.filter((step) => step.done).length;
  return (
    <Panel title={t('integration.checklist')} hint={t('integration.doneOf', { done, all: steps.length })}>
      <div aria-hidden className="mb-3 h-1.5 rounded-full bg-sunken">
        <div className="h-full rounded-full bg-fence" style={{ width: `${(100 * done) / steps.length}%` }} />
      </div>
      <ol className="grid grid-cols-1 sm:grid-cols-2 gap-x-6 gap-y-2 text-sm">
        {steps.map(({ name, done: isDone }) => {
          const Sign = isDone ? CircleCheck : Circle;
          return (
            <li key={name} className="flex items-start gap-2">
              <Sign
                role="img"
                aria-label={t(isDone ? 'integration.done' : 'integration.open')}
                className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-fence' : 'text-soft'}`}
              />
              <span>
                {t(`integration.step.${name}`)}
                {isDone ? null : <span className="block text-xs text-soft">{t(`integration.stepHint.${name}`)}</span>}
              </span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function useAsked() {
  const name = useWorkspaceName();
  const place = { params: { workspace: name } };
  return {
    workspace: useQuery(asking('readWorkspace', place, everyMs)),
    keys: useQuery(asking('listKeys', place, everyMs)),
    integration: useQuery(asking('readIntegration', place, everyMs)),
    logins: useQuery(asking('listEvents', { ...place, query: { kind: 'login', limit: 1 } }, everyMs)),
    operations: useQuery(
      asking('listEvents', { ...place, query: { kind: 'operation', limit: operationsSeen } }, everyMs),
    ),
    executed: useQuery(asking('listActions', { ...place, query: { state: 'executed', limit: 1 } }, everyMs)),
  };
}

function stepsOf(asked: ReturnType<typeof useAsked>) {
  const { settings } = asked.workspace.data!;
  const { channels, endpoint } = asked.integration.data!;
  const hasLogin = asked.logins.data!.items.length > 0;
  const operations = asked.operations.data!.items;
  return [
    // The last use of a key is stored with a delay; an event proves it immediately.
    {
      name: 'key',
      done:
        hasLogin || operations.length > 0 || asked.keys.data!.items.some(({ lastUsedAt }) => lastUsedAt !== undefined),
    },
    { name: 'login', done: hasLogin },
    { name: 'operation', done: operations.length > 0 },
    { name: 'matched', done: operations.some((event) => event.matched === true) },
    { name: 'channels', done: channels.length > 0 && channels.every(({ configured }) => configured) },
    {
      name: 'webhook',
      done: settings.webhook !== undefined && endpoint.state === 'closed' && endpoint.failures === 0,
    },
    { name: 'executed', done: asked.executed.data!.items.length > 0 },
    { name: 'live', done: settings.deliver === 'live' },
  ] as const;
}
