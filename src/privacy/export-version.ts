/** Version of the file that `subject export` writes: `subject-export-1.schema.json`. */
export const EXPORT_VERSION = 1;
