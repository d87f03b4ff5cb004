import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';

/** Polling interval during a backfill. */
const everyMs = 1_000;
const seldomMs = 15_000;

/** Progress of a feature backfill, or the reason why one failed. */
export function PolicyStarts({ active }: { readonly active: number }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const starts = useQuery({
    ...asking('listPolicyStarts', { params: { workspace } }),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) === true ? everyMs : seldomMs),
  });
  const shown = (starts.data?.items ?? []).filter(
    (one) => isUnderWay(one) || (one.state === 'failed' && one.version > active),
  );
  if (shown.length === 0) return null;
  return (
    <Panel>
      <ul className="flex flex-col gap-2 pt-2 text-sm">
        {shown.map(({ version, state, done, total, error }) => (
          <li key={version} className="flex items-center gap-3">
            <span className="font-medium">{t('policyStart.title', { version })}</span>
            {state === 'failed' ? (
              <span role="alert" className="text-bad">
                {t('policyStart.failed', { error: error ?? '' })}
              </span>
            ) : (
              <>
                <ProgressBar label={t('policyStart.progress', { version })} done={done} total={total} />
                <span className="text-soft">
                  {t('inquiry.records', { done: formats.number(done), total: formats.number(total) })} ·{' '}
                  {t('policyStart.meanwhile', { version: active })}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function isUnderWay({ state }: { readonly state: string }): boolean {
  return state === 'folding' || state === 'ready';
}
