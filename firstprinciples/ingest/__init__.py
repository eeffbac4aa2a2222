"""Documents -> chunks. Each file is one step on the way from a document to what is indexed: `chunking` cuts it."""
