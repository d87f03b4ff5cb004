import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { NotificationTranscript } from '../api/operations.generated.ts';
import { useFormats } from '../format/use-formats.ts';
import { Badge } from './badge.tsx';
import { CodeBlock } from './code-block.tsx';

interface TranscriptProps {
  /** What any test sends, and what came back. */
  readonly of: Pick<NotificationTranscript, 'problem' | 'connection' | 'durationMs' | 'response' | 'lines'>;
  /** The first line of what was sent. */
  readonly first: string;
  readonly request:
    | NotificationTranscript['request']
    | { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** The verdict in words. */
  readonly children: ReactNode;
}

/** The whole exchange of a test. */
export function Transcript({ of, first, request, children }: TranscriptProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { problem, connection, response, lines, durationMs } = of;
  return (
    <div className="flex max-h-[70vh] flex-col gap-4 overflow-y-auto text-sm" tabIndex={0}>
      <p className="flex items-center gap-2">
        <Badge tone={problem === undefined ? 'good' : 'bad'}>{children}</Badge>
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
      <CodeBlock label={t('deliveries.sent')} text={messageText(first, request.headers, request.body)} />
      {response === undefined && lines === undefined ? null : (
        <>
          <h3 className="eyebrow">{t('action.answer')}</h3>
          <CodeBlock
            label={t('action.answer')}
            text={
              response === undefined
                ? lines!.join('\n')
                : messageText(`HTTP ${response.status}`, response.headers, response.body)
            }
          />
        </>
      )}
    </div>
  );
}

function messageText(first: string, headers: Readonly<Record<string, string>>, body: string): string {
  return [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
}
