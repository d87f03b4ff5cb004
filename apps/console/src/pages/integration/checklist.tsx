import { useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Panel } from '../../parts/panel.tsx';

const everyMs = 3_000;
/** One of the last of them found its session: one that did not may follow it. */
const operationsSeen = 50;

/** What has to be there until a bank is protected, each turning green by itself when it is. */
export function Checklist(): ReactElement {
  const { t } = useTranslation();
  const steps = useSteps();
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

function useSteps() {
  const name = useWorkspaceName();
  const place = { params: { workspace: name } };
  const workspace = useQuery(asking('readWorkspace', place, everyMs)).data;
  const keys = useQuery(asking('listKeys', place, everyMs)).data?.items ?? [];
  const integration = useQuery(asking('readIntegration', place, everyMs)).data;
  const kinds = {
    login: useQuery(asking('listEvents', { ...place, query: { kind: 'login', limit: 1 } }, everyMs)).data,
    operation: useQuery(
      asking('listEvents', { ...place, query: { kind: 'operation', limit: operationsSeen } }, everyMs),
    ).data,
  };
  const executed = useQuery(asking('listActions', { ...place, query: { state: 'executed', limit: 1 } }, everyMs)).data;
  const hasLogin = (kinds.login?.items.length ?? 0) > 0;
  const hasOperation = (kinds.operation?.items.length ?? 0) > 0;
  const matched = kinds.operation?.items.some((event) => event.matched === true) === true;
  return [
    // That a key was used is written now and then; an event has come by one.
    { name: 'key', done: hasLogin || hasOperation || keys.some(({ lastUsedAt }) => lastUsedAt !== undefined) },
    { name: 'login', done: hasLogin },
    { name: 'operation', done: hasOperation },
    { name: 'matched', done: matched },
    {
      name: 'channels',
      done:
        (integration?.channels.length ?? 0) > 0 && integration?.channels.every(({ configured }) => configured) === true,
    },
    {
      name: 'webhook',
      done:
        workspace?.settings.webhook !== undefined &&
        integration?.endpoint.state === 'closed' &&
        integration.endpoint.failures === 0,
    },
    { name: 'executed', done: (executed?.items.length ?? 0) > 0 },
    { name: 'live', done: workspace?.settings.deliver === 'live' },
  ] as const;
}
