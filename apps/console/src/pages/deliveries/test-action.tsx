import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Transcript } from '../../parts/transcript.tsx';

/** Sends a test action and shows the HTTP exchange. */
export function TestAction(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayTest = useRight('administer');
  const test = useDoing('testWebhook');
  const [open, setOpen] = useState(false);
  if (!mayTest) return null;
  const begin = (): void => {
    setOpen(true);
    test.mutate({ params: { workspace } });
  };
  return (
    <>
      <Button onClick={begin}>
        <FlaskConical aria-hidden className="size-4" />
        {t('deliveries.test')}
      </Button>
      {open ? (
        <Dialog title={t('deliveries.test')} wide onClose={() => setOpen(false)}>
          {test.error !== null ? (
            <ProblemNote problem={test.error} />
          ) : test.data === undefined ? (
            <Loading rows={4} />
          ) : (
            <Transcript
              of={test.data}
              first={`${test.data.request.method} ${test.data.request.url}`}
              request={test.data.request}
            >
              {t(test.data.verdict === 'failed' ? 'deliveries.testFailed' : 'deliveries.testWorks')}
            </Transcript>
          )}
        </Dialog>
      ) : null}
    </>
  );
}
