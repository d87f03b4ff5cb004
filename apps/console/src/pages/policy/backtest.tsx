import type { PolicyFile } from '@ringfence/policy';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSpan } from '../../url/use-span.ts';
import { WatchedBacktest } from './watched-backtest.tsx';

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
          <div className="max-h-[75vh] overflow-y-auto" tabIndex={0} role="group" aria-label={t('backtest.title')}>
            {start.error !== null ? (
              <ProblemNote problem={start.error} onRetry={begin} />
            ) : start.data === undefined ? (
              <Loading />
            ) : (
              <WatchedBacktest id={start.data.id} />
            )}
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
