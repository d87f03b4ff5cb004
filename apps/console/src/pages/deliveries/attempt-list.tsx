import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Attempt } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';

const tones = { executed: 'good', notExecuted: 'warn', failed: 'bad' } as const;

/** Every delivery attempt and the response of the bank. */
export function AttemptList({ action }: { readonly action: string }): ReactElement {
  const workspace = useWorkspaceName();
  const detail = useQuery(asking('readAction', { params: { workspace, action }, query: usePersonal() }));
  return (
    <div className="border-t border-line">
      <Asked of={detail} rows={1}>
        {({ history }) => (
          <ol>
            {history.map((attempt) => (
              <AttemptRow key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        )}
      </Asked>
    </div>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { number, startedAt, durationMs, result, reason, status, address, error, body, headers } = attempt;
  return (
    <li className="border-b border-line px-3 py-2 text-sm last:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-xs text-soft">{t('action.attempt', { number })}</span>
        <Badge tone={tones[result]}>{t(`action.result.${result}`)}</Badge>
        {status === undefined ? null : <span className="font-mono text-xs">HTTP {status}</span>}
        {reason === undefined ? null : <span className="font-mono text-xs text-bad">{reason}</span>}
        {error === undefined ? null : <span className="text-xs text-bad">{error}</span>}
        <span className="ml-auto text-xs text-soft">
          <Instant at={startedAt} as="clock" /> · {formats.durationMs(durationMs)}{' '}
          {address === undefined ? '' : `· ${address}`}
        </span>
      </div>
      {body === undefined && headers === undefined ? null : (
        <details className="mt-1">
          <summary className="cursor-pointer text-xs text-soft">{t('action.answer')}</summary>
          <pre
            tabIndex={0}
            aria-label={t('action.answer')}
            className="mt-1 max-h-48 overflow-auto rounded bg-sunken p-2 font-mono text-xs"
          >
            {[...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`), '', body ?? ''].join('\n')}
          </pre>
        </details>
      )}
    </li>
  );
}
