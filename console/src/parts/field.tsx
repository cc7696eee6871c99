import type { ReactNode } from 'react';
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import styles from './field.module.css';

interface FieldProps extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string;
  /** Shown below the field. */
  hint?: string;
  /** What is wrong with the value; it marks the field. */
  problem?: string | undefined;
  placeholder?: string;
  /** The label is for screen readers only. */
  isLabelHidden?: boolean;
  /** More than one line, with this many shown. */
  rows?: number;
  /** After the field, such as a button. */
  after?: ReactNode;
}

/** A text field with its label. */
export function Field({
  label,
  hint,
  problem,
  placeholder,
  isLabelHidden,
  rows,
  after,
  ...props
}: FieldProps) {
  return (
    // "aria": the browser's own validation would not let a form be sent again that the server has refused.
    <TextField
      {...props}
      validationBehavior="aria"
      isInvalid={problem !== undefined}
      className={styles.field ?? ''}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : (styles.label ?? '')}>{label}</Label>
      <div className={styles.line}>
        {rows === undefined ? (
          <Input className={styles.input ?? ''} placeholder={placeholder ?? ''} />
        ) : (
          <TextArea className={styles.input ?? ''} rows={rows} placeholder={placeholder ?? ''} />
        )}
        {after}
      </div>
      {hint && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.problem ?? ''}>{problem}</FieldError>
    </TextField>
  );
}
