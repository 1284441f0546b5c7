/* Counts what the MPI library is asked to move, independently of the code under test: preloaded, it stands
   before MPI (profiling interface) and prints, at the end, one line per process:

       pmpi RANK SENT RECEIVED

   in bytes, to and from other ranks. A get is received and an accumulation sent by the process that makes it.
   Messages of the control phase have the tags from 6 * 4096 on and are left out. */

#include <mpi.h>
#include <stdio.h>

static long long sent, received;

static long long bytes(int peer, int count, MPI_Datatype type, MPI_Comm comm)
{
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Type_size(type, &size);
    return peer == rank ? 0 : (long long)count * size;
}

static int control(int tag)
{
    return tag >= 6 * 4096;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!control(tag))
        sent += bytes(to, count, type, comm);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!control(tag))
        received += bytes(from, count, type, comm);
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

/* Every window of the tests spans a communicator with the ranks of the world. */
int MPI_Rget(void *data, int count, MPI_Datatype type, int peer, MPI_Aint at, int words, MPI_Datatype theirs,
             MPI_Win window, MPI_Request *request)
{
    received += bytes(peer, count, type, MPI_COMM_WORLD);
    return PMPI_Rget(data, count, type, peer, at, words, theirs, window, request);
}

int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int peer, MPI_Aint at, int words,
                    MPI_Datatype theirs, MPI_Op op, MPI_Win window, MPI_Request *request)
{
    sent += bytes(peer, count, type, MPI_COMM_WORLD);
    return PMPI_Raccumulate(data, count, type, peer, at, words, theirs, op, window, request);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("pmpi %d %lld %lld\n", rank, sent, received);
    fflush(stdout);
    return PMPI_Finalize();
}
