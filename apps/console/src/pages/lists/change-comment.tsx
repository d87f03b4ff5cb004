import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../parts/field.tsx';

interface ChangeCommentProps {
  readonly value: string;
  readonly onChange: (comment: string) => void;
  readonly autoFocus?: boolean;
}

/** The reason for a list change, which is required. */
export function ChangeComment({ value, onChange, autoFocus }: ChangeCommentProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Field
      label={t('lists.comment')}
      hint={t('lists.commentHint')}
      required
      autoFocus={autoFocus}
      maxLength={1_000}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
