import type { PolicyFile } from '@ringfence/policy';
import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSpan } from '../../url/use-span.ts';
import { BacktestOutcome } from './backtest-outcome.tsx';

const everyMs = 500;

/** Tries what was written on the events of the chosen time, on the engine that decides live, beside the live policy. */
export function Backtest({ files }: { readonly files: readonly PolicyFile[] }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const { account } = useSession();
  const mayTry = useRight('write');
  const start = useDoing('startBacktest');
  const [open, setOpen] = useState(false);
  if (!mayTry) return null;
  const begin = (): void => {
    setOpen(true);
    start.mutate({ params: { workspace }, body: { files, ...span, against: 'live', author: account.name } });
  };
  return (
    <>
      <Button onClick={begin}>
        <FlaskConical aria-hidden className="size-4" />
        {t('backtest.run')}
      </Button>
      {open ? (
        <Dialog title={t('backtest.title')} wide onClose={() => setOpen(false)}>
          {start.error !== null ? (
            <ProblemNote problem={start.error} />
          ) : start.data === undefined ? (
            <Loading />
          ) : (
            <Watched id={start.data.id} />
          )}
        </Dialog>
      ) : null}
    </>
  );
}

function Watched({ id }: { readonly id: number }): ReactElement {
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
        if (result !== undefined) return <BacktestOutcome id={id} result={result} />;
        if (state !== 'running') return <p className="text-sm text-bad">{error ?? t(`backtest.state.${state}`)}</p>;
        return (
          <div className="flex flex-col gap-2 text-sm">
            <progress
              aria-label={t('backtest.title')}
              value={done}
              max={Math.max(1, total)}
              className="h-2 w-full accent-fence"
            />
            <p className="text-soft">
              {t('backtest.progress', { done: formats.number(done), total: formats.number(total) })}
            </p>
          </div>
        );
      }}
    </Asked>
  );
}
