import type { koWords } from './ko-words.ts';

/** The word list: several at a time, and as a file. */
export const enWords: Readonly<Record<keyof typeof koWords, string>> = {
  'policy.word.several': 'Register each of the {count} words between commas',
  'policy.word.long': 'One word has at most 200 characters.',
  'policy.word.excepted.CLEAR':
    '“{word}” is an exception of the word “{of}” that passes. As a word of its own it will be found regardless of that exception.',
  'policy.word.excepted.REVIEW':
    '“{word}” is an exception of the word “{of}” that goes to review. As a word of its own it will be found for both.',
  'policy.changes.count': '{count, number} changes',
  'words.file': 'Word list as a file',
  'words.export.xlsx': 'Export to Excel (XLSX)',
  'words.export.csv': 'Export to CSV',
  'words.import': 'Import a file',
  'words.import.title': 'Import “{name}”',
  'words.import.unreadable': '“{name}” cannot be read as a table. Choose an Excel (XLSX) or CSV file.',
  'words.import.added': '{count, plural, one {# word} other {# words}} added',
  'words.import.changed': '{count, plural, one {# word} other {# words}} with another action, reason or exceptions',
  'words.import.switched': '{count, plural, one {# word} other {# words}} switched on or off',
  'words.import.same': '{count, plural, one {# word} other {# words}} unchanged',
  'words.import.absent': '{count, plural, one {# word} other {# words}} missing from the file will stay as they are.',
  'words.import.nothing': 'The file changes nothing.',
  'words.import.problems': 'Correct these rows and import the file again. Nothing is taken before.',
  'words.import.more': '{count, plural, one {# more row} other {# more rows}}',
  'words.import.problem.MISSING': 'Row {row}: the word is empty.',
  'words.import.problem.LONG': 'Row {row}: “{value}” is longer than 200 characters.',
  'words.import.problem.TWICE': 'Row {row}: “{value}” is listed twice.',
  'words.import.problem.VALUE': 'Row {row}: “{value}” is no value of this column.',
  'words.import.problem.EXCEPTIONS':
    'Row {row}: the exceptions of “{value}” cannot be read. Look for duplicates and for expressions without a letter.',
  'words.import.problem.NEW_OFF': 'Row {row}: the new word “{value}” can only be registered as in use.',
  'words.import.tooLong':
    'One version adds and changes at most {most, number} words each. Split the file, and import the parts one after another.',
};
