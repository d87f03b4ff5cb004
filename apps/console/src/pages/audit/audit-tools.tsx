import { useMutation } from '@tanstack/react-query';
import { Download, ShieldCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, addressOf, call } from '../../api/call.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useFormats } from '../../format/use-formats.ts';
import type { AuditSearch } from './audit-search.ts';

/** Exports the filtered log, and verifies its hash chain. */
export function AuditTools({ wanted, scope }: { readonly wanted: object; readonly scope: AuditSearch['scope'] }) {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const seesAll = useSession().installation.includes('administer');
  const address =
    scope === 'all'
      ? addressOf('exportAudit', { query: wanted })
      : addressOf('exportWorkspaceAudit', { params: { workspace }, query: wanted });
  return (
    <>
      <a href={address} download className={buttonClass('plain')}>
        <Download aria-hidden className="size-4" />
        {t('audit.export')}
      </a>
      {seesAll ? <Verify /> : null}
    </>
  );
}

function Verify(): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const verify = useMutation<Answer<'verifyAudit'>>({ mutationFn: () => call('verifyAudit', {}) });
  const { data, error } = verify;
  return (
    <>
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        <ShieldCheck aria-hidden className="size-4" />
        {t('audit.verify')}
      </Button>
      {data === undefined && error === null ? null : (
        <Dialog title={t('audit.verify')} onClose={() => verify.reset()}>
          {error === null ? null : <ProblemNote problem={error} />}
          {data === undefined ? null : (
            <div className="flex flex-col gap-3 text-sm">
              {data.broken === undefined ? (
                <p>{t('audit.whole', { count: data.entries, shown: formats.number(data.entries) })}</p>
              ) : (
                <p className="rounded-md bg-bad-wash p-3">
                  <b>{t('audit.broken', { seq: data.broken.seq })}</b> {data.broken.what}
                </p>
              )}
              <p className="text-soft">{t('audit.headMeaning')}</p>
              <CodeBlock label={t('audit.hash')} wrap text={data.head} />
            </div>
          )}
        </Dialog>
      )}
    </>
  );
}
