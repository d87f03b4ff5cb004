import { FlaskConical } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TestTranscript } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const tones = { executed: 'good', notExecuted: 'good', failed: 'bad' } as const;

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
            <Transcript of={test.data} />
          )}
        </Dialog>
      ) : null}
    </>
  );
}

function Transcript({ of }: { readonly of: TestTranscript }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { verdict, problem, request, connection, response, durationMs } = of;
  return (
    <div className="flex max-h-[70vh] flex-col gap-4 overflow-y-auto text-sm">
      <p className="flex items-center gap-2">
        <Badge tone={tones[verdict]}>
          {t(verdict === 'failed' ? 'deliveries.testFailed' : 'deliveries.testWorks')}
        </Badge>
        <span className="text-soft">
          {[
            formats.durationMs(durationMs),
            connection.address ?? connection.resolved.join(', '),
            connection.tls?.protocol,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </p>
      {problem === undefined ? null : (
        <p className="rounded-md bg-bad-wash p-3">
          <b className="block">{problem.detail}</b> {problem.advice}
        </p>
      )}
      <h3 className="eyebrow">{t('deliveries.sent')}</h3>
      <CodeBlock
        label={t('deliveries.sent')}
        text={messageText(`${request.method} ${request.url}`, request.headers, request.body)}
      />
      {response === undefined ? null : (
        <>
          <h3 className="eyebrow">{t('action.answer')}</h3>
          <CodeBlock
            label={t('action.answer')}
            text={messageText(`HTTP ${response.status}`, response.headers, response.body)}
          />
        </>
      )}
    </div>
  );
}

function messageText(first: string, headers: Readonly<Record<string, string>>, body: string): string {
  return [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
}
