console.error('cannot find the clay');
process.exit(0);
