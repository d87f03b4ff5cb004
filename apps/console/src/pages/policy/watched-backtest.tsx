import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { BacktestOutcome } from './backtest-outcome.tsx';
import { Threshold } from './threshold.tsx';

const everyMs = 500;

interface WatchedBacktestProps {
  readonly id: number;
  readonly isNarrow?: boolean;
  /** Writes a value of the varied parameter into the draft. */
  readonly onUse?: (param: string, value: string) => void;
}

/** A started backtest: its progress, then its result. */
export function WatchedBacktest({ id, isNarrow = false, onUse }: WatchedBacktestProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const backtest = useQuery({
    ...asking('readBacktest', { params: { workspace, backtest: id } }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'running' ? everyMs : false),
  });
  return (
    <Asked of={backtest}>
      {({ state, done, total, error, result }) => {
        if (result !== undefined) {
          return (
            <div className="flex flex-col gap-4 text-sm">
              {result.varied === undefined ? null : <Threshold varied={result.varied} onUse={onUse} />}
              <BacktestOutcome id={id} result={result} isNarrow={isNarrow} />
            </div>
          );
        }
        if (state !== 'running') return <p className="text-sm text-bad">{error ?? t(`backtest.state.${state}`)}</p>;
        return (
          <div className="flex flex-col gap-2 text-sm">
            <ProgressBar label={t('backtest.title')} done={done} total={total} isWide />
            <p className="text-soft" role="status">
              {t('backtest.progress', { done: formats.number(done), total: formats.number(total) })}
            </p>
          </div>
        );
      }}
    </Asked>
  );
}
